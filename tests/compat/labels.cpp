// SPDX-License-Identifier: MIT
// Labeled tensors with only the headers of the labels, which in NEML2 2.x included the types of the
// variables.
#include "neml2/tensors/LabeledMatrix.h"
#include "neml2/tensors/LabeledVector.h"

using namespace neml2;

int
main()
{
  const auto & DTO = default_tensor_options();
  const Size nbatch = 10;
  LabeledAxis rows, columns;
  rows.add<Scalar>("T").add<SR2>("strain").add<SSR4>("C").add<Scalar>({"sub", "x"});
  rows.add<LabeledAxis>("empty").add("raw", 7);
  columns.add<SR2>("strain").add<Scalar>(LabeledAxisAccessor{"sub", "x"});
  rows.setup_layout();
  columns.setup_layout();
  neml_assert(rows.nvariable() == 5 && rows.nsubaxis() == 2 && rows.storage_size() == 51);
  neml_assert(rows.has_variable<SR2>("strain") && !rows.has_variable<SR2>("T"));
  const LabeledAxis::AxisLayout & layout = rows.layout();
  neml_assert(layout.at("T") == std::pair<Size, Size>(36, 37));
  const std::unordered_map<std::string, std::pair<Size, Size>> & places = layout;
  neml_assert(places.size() == 6);
  const std::vector<std::pair<Size, Size>> slices = rows.variable_slices();
  const std::pair<Size, Size> slice = rows.variable_slice("T");
  neml_assert(slices[1] == slice && rows.subaxis_slices().back().second == 51);
  const std::vector<std::pair<indexing::TensorIndex, indexing::TensorIndex>> common =
      rows.common_indices(columns);
  neml_assert(common.size() == 1 && common[0].first.slice().start() == 44);
  neml_assert(rows.sort_by_assembly_order({{"sub", "x"}, "T"})[0] == LabeledAxisAccessor("T"));

  const std::set<LabeledAxisAccessor> names = rows.variable_names();
  neml_assert(names.size() == 5 && names.count({"sub", "x"}) == 1);
  neml_assert(rows.sort_by_assembly_order(columns.variable_names()).size() == 2);
  std::map<indexing::TensorIndex, std::string, LabeledAxis::AssemblySliceCmp> sorted;
  for (const auto & name : names)
    sorted[rows.indices(name)] = utils::stringify(name);
  neml_assert(sorted.begin()->second == "C" && sorted.rbegin()->second == "sub/x");

  auto v = LabeledVector::zeros({nbatch}, {&rows}, DTO);
  v.base_index_put_({"strain"}, SR2::fill(1, 2, 3, 0.4, 0.5, 0.6));
  v.base_index_put_({"C"}, SSR4::identity_sym(DTO));
  v.slice("sub").base_index_put_({"x"}, Scalar(5.0, DTO));
  neml_assert(torch::allclose(v.reinterpret<SSR4>({"C"}), SSR4::identity_sym().batch_expand(10)));
  neml_assert(torch::allclose(v.reinterpret<Scalar>({{"sub", "x"}}), Scalar::full({10}, 5)));
  auto w = LabeledVector::zeros({nbatch}, {&columns});
  w.fill(v);
  neml_assert(torch::allclose(w.reinterpret<SR2>({"strain"}), v.reinterpret<SR2>({"strain"})));
  neml_assert(!utils::allclose(v, w) && utils::allclose(w, w.clone()));

  auto A = LabeledMatrix(torch::rand({nbatch, 51, 7}, DTO), {&rows, &columns});
  neml_assert(A.base_index({"strain", {"sub", "x"}}).base_sizes() == TensorShape{6, 1});
  neml_assert(A.base_index({"sub", {}}).base_sizes() == TensorShape{1, 7});
  A.base_index_put_({"strain", "strain"}, SSR4::identity_sym(DTO).batch_expand(nbatch));
  neml_assert(A.batch_index({indexing::Slice(0, 3)})
                  .reinterpret<SSR4>({"strain", "strain"})
                  .batch_sizes() == TensorShape{3});
  neml_assert(torch::allclose(A.chain(LabeledMatrix::identity(nbatch, columns)), A));
}
