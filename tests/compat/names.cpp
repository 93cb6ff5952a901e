// SPDX-License-Identifier: MIT Every name that programs for NEML2 2.x may use: this file compiles
// only if all of them exist.
#include "neml2/base/LabeledAxis.h"
#include "neml2/base/LabeledAxisAccessor.h"
#include "neml2/misc/defaults.h"
#include "neml2/misc/error.h"
#include "neml2/misc/math.h"
#include "neml2/misc/parser_utils.h"
#include "neml2/misc/types.h"
#include "neml2/misc/utils.h"
#include "neml2/neml2.h"
#include "neml2/tensors/ConstantTensors.h"
#include "neml2/tensors/LabeledAxis.h"
#include "neml2/tensors/LabeledMatrix.h"
#include "neml2/tensors/LabeledTensor3D.h"
#include "neml2/tensors/LabeledVector.h"
#include "neml2/tensors/R2Base.h"
#include "neml2/tensors/TensorCache.h"
#include "neml2/tensors/Transformable.h"
#include "neml2/tensors/VecBase.h"
#include "neml2/tensors/crystallography.h"
#include "neml2/tensors/functions/discretization/assemble.h"
#include "neml2/tensors/functions/discretization/interpolate.h"
#include "neml2/tensors/functions/discretization/scatter.h"
#include "neml2/tensors/functions/imap.h"
#include "neml2/tensors/functions/linalg/dsptrf.h"
#include "neml2/tensors/functions/logical.h"
#include "neml2/tensors/list_tensors.h"
#include "neml2/tensors/macros.h"
#include "neml2/tensors/mandel_notation.h"

namespace names_of_2_x
{
// ---- Basic vocabulary ----
using neml2::ArrayRef;
using neml2::ATensor;
using neml2::CScalar;
using neml2::Device;
using neml2::DeviceIndex;
using neml2::Dtype;
using neml2::eps;
using neml2::Integer;
using neml2::invsqrt2;
using neml2::kCPU;
using neml2::kCUDA;
using neml2::kFloat16;
using neml2::kFloat32;
using neml2::kFloat64;
using neml2::kInt16;
using neml2::kInt32;
using neml2::kInt64;
using neml2::kInt8;
using neml2::kSparse;
using neml2::kStrided;
using neml2::kUInt8;
using neml2::OptionalArrayRef;
using neml2::pi;
using neml2::Real;
using neml2::Size;
using neml2::SmallVector;
using neml2::sqrt2;
using neml2::TensorDataContainer;
using neml2::TensorList;
using neml2::TensorOptions;
using neml2::TensorShape;
using neml2::TensorShapeRef;
using neml2::TorchShape;
using neml2::TorchShapeRef;
using neml2::TorchSize;

using neml2::default_device;
using neml2::default_dtype;
using neml2::default_integer_dtype;
using neml2::default_integer_tensor_options;
using neml2::default_tensor_options;
using neml2::get_default_dtype;
using neml2::get_default_integer_dtype;
using neml2::machine_precision;
using neml2::set_default_dtype;
using neml2::set_default_integer_dtype;
using neml2::tighter_tolerance;
using neml2::tolerance;

using neml2::neml2_assert;
using neml2::neml_assert;
using neml2::neml_assert_base_broadcastable;
using neml2::neml_assert_base_broadcastable_dbg;
using neml2::neml_assert_batch_broadcastable;
using neml2::neml_assert_batch_broadcastable_dbg;
using neml2::neml_assert_broadcastable;
using neml2::neml_assert_broadcastable_dbg;
using neml2::neml_assert_dbg;
using neml2::neml_assert_dynamic_broadcastable;
using neml2::neml_assert_dynamic_broadcastable_dbg;
using neml2::neml_assert_intmd_broadcastable;
using neml2::neml_assert_intmd_broadcastable_dbg;
using neml2::neml_assert_static_broadcastable;
using neml2::neml_assert_static_broadcastable_dbg;
using neml2::NEMLException;
using neml2::ParserException;

namespace strings
{
using neml2::utils::demangle;
using neml2::utils::end_with;
using neml2::utils::indentation;
using neml2::utils::join;
using neml2::utils::parse;
using neml2::utils::split;
using neml2::utils::start_with;
using neml2::utils::stream_all;
using neml2::utils::stringify;
using neml2::utils::trim;
} // namespace strings
using neml2::buffer_name_separator;
using neml2::currently_solving_nonlinear_system;
using neml2::parameter_name_separator;
using neml2::internal::stream_all;

namespace indexing
{
using neml2::indexing::Ellipsis;
using neml2::indexing::None;
using neml2::indexing::Slice;
using neml2::indexing::TensorIndex;
using neml2::indexing::TensorIndices;
using neml2::indexing::TensorIndicesRef;
using neml2::indexing::TensorLabel;
using neml2::indexing::TensorLabels;
using neml2::indexing::TensorLabelsRef;
} // namespace indexing

struct SizeMembers : neml2::TraceableSize
{
  using TraceableSize::as_tensor;
  using TraceableSize::concrete;
  using TraceableSize::traceable;
};
struct ShapeMembers : neml2::TraceableTensorShape
{
  using TraceableTensorShape::as_tensor;
  using TraceableTensorShape::concrete;
  using TraceableTensorShape::erase;
  using TraceableTensorShape::insert;
  using TraceableTensorShape::push_back;
  using TraceableTensorShape::size;
  using TraceableTensorShape::slice;
};

namespace shapes
{
using neml2::utils::add_shapes;
using neml2::utils::align_intmd_dim;
using neml2::utils::align_static_dim;
using neml2::utils::base_broadcastable;
using neml2::utils::batch_broadcastable;
using neml2::utils::broadcast_base_dim;
using neml2::utils::broadcast_batch_dim;
using neml2::utils::broadcast_batch_sizes;
using neml2::utils::broadcast_dynamic_dim;
using neml2::utils::broadcast_dynamic_sizes;
using neml2::utils::broadcast_intmd_dim;
using neml2::utils::broadcast_intmd_sizes;
using neml2::utils::broadcast_sizes;
using neml2::utils::broadcastable;
using neml2::utils::dynamic_broadcastable;
using neml2::utils::intmd_broadcastable;
using neml2::utils::normalize_dim;
using neml2::utils::normalize_dims;
using neml2::utils::normalize_itr;
using neml2::utils::normalize_itrs;
using neml2::utils::numel;
using neml2::utils::pad_append;
using neml2::utils::pad_prepend;
using neml2::utils::shape_refs_to_shapes;
using neml2::utils::shapes_to_shape_refs;
using neml2::utils::sizes_broadcastable;
using neml2::utils::sizes_same;
using neml2::utils::storage_size;
using neml2::utils::sum_array;
} // namespace shapes

// ---- What every tensor has ----
template <class T>
struct TensorMembers : T
{
  using T::base_dim;
  using T::base_expand;
  using T::base_expand_as;
  using T::base_expand_copy;
  using T::base_flatten;
  using T::base_index;
  using T::base_index_put_;
  using T::base_movedim;
  using T::base_reshape;
  using T::base_size;
  using T::base_sizes;
  using T::base_slice;
  using T::base_squeeze;
  using T::base_storage;
  using T::base_transpose;
  using T::base_unsqueeze;
  using T::batch_dim;
  using T::batch_expand;
  using T::batch_expand_as;
  using T::batch_expand_copy;
  using T::batch_index;
  using T::batch_index_put_;
  using T::batch_movedim;
  using T::batch_reshape;
  using T::batch_size;
  using T::batch_sizes;
  using T::batch_slice;
  using T::batch_squeeze;
  using T::batch_transpose;
  using T::batch_unsqueeze;
  using T::batched;
  using T::clone;
  using T::contiguous;
  using T::copy_;
  using T::create;
  using T::defined;
  using T::detach;
  using T::detach_;
  using T::device;
  using T::dim;
  using T::dynamic_dim;
  using T::dynamic_expand;
  using T::dynamic_flatten;
  using T::dynamic_index;
  using T::dynamic_index_put_;
  using T::dynamic_reshape;
  using T::dynamic_size;
  using T::dynamic_sizes;
  using T::dynamic_slice;
  using T::dynamic_squeeze;
  using T::dynamic_transpose;
  using T::dynamic_unsqueeze;
  using T::empty;
  using T::empty_like;
  using T::full;
  using T::full_like;
  using T::intmd_dim;
  using T::intmd_size;
  using T::intmd_sizes;
  using T::linspace;
  using T::logspace;
  using T::ones;
  using T::ones_like;
  using T::options;
  using T::rand;
  using T::rand_like;
  using T::requires_grad;
  using T::requires_grad_;
  using T::scalar_type;
  using T::size;
  using T::sizes;
  using T::static_dim;
  using T::static_expand;
  using T::static_reshape;
  using T::static_size;
  using T::static_sizes;
  using T::to;
  using T::variable_data;
  using T::zero_;
  using T::zeros;
  using T::zeros_like;
};
template <class T>
struct PrimitiveMembers : TensorMembers<T>
{
  using T::const_base_dim;
  using T::const_base_numel;
  using T::const_base_sizes;
  using T::const_base_storage;
  using T::einsum;
  using T::identity_map;
  using T::operator();
  using typename T::base_sizes_sequence;
};
static_assert(sizeof(TensorMembers<neml2::Tensor>) > 0);
template <class T>
constexpr bool has_members = sizeof(PrimitiveMembers<T>) > 0;
namespace types
{
using namespace neml2;
#define HAS_MEMBERS(T) static_assert(has_members<T>)
FOR_ALL_PRIMITIVETENSOR(HAS_MEMBERS);
} // namespace types

struct OfTensor : neml2::Tensor
{
  using neml2::Tensor::base_unsqueeze_to;
  using neml2::Tensor::identity;
};
struct OfScalar : neml2::Scalar
{
  using Scalar::base_unsqueeze_to;
};

// ---- Each type ----
template <class T>
struct VecBaseMembers : neml2::VecBase<T>
{
  using T::cross;
  using T::dot;
  using T::drotate;
  using T::fill;
  using T::norm;
  using T::norm_sq;
  using T::outer;
  using T::rotate;
};
static_assert(sizeof(VecBaseMembers<neml2::Vec>) && sizeof(VecBaseMembers<neml2::Rot>) &&
              sizeof(VecBaseMembers<neml2::WR2>));
struct OfVec : neml2::Vec
{
  using Vec::self_outer;
  using Vec::transform;
};
struct OfR2 : neml2::R2Base<neml2::R2>
{
  using R2::col;
  using R2::det;
  using R2::drotate;
  using R2::fill;
  using R2::identity;
  using R2::inner;
  using R2::inverse;
  using R2::outer;
  using R2::rotate;
  using R2::row;
  using R2::skew;
  using R2::transpose;
};
struct OfSR2 : neml2::SR2
{
  using SR2::det;
  using SR2::dev;
  using SR2::drotate;
  using SR2::fill;
  using SR2::identity;
  using SR2::inner;
  using SR2::inverse;
  using SR2::norm;
  using SR2::norm_sq;
  using SR2::outer;
  using SR2::rotate;
  using SR2::tr;
  using SR2::transpose;
  using SR2::vol;
};
struct OfWR2 : neml2::WR2
{
  using WR2::dexp;
  using WR2::dexp_map;
  using WR2::exp;
  using WR2::exp_map;
};
struct OfR3 : neml2::R3
{
  using R3::contract_k;
  using R3::levi_civita;
};
struct OfR4 : neml2::R4
{
  using R4::drotate;
  using R4::drotate_self;
  using R4::rotate;
  using R4::transpose;
  using R4::transpose_major;
  using R4::transpose_minor;
};
struct OfSSR4 : neml2::SSR4
{
  using SSR4::dinverse;
  using SSR4::drotate;
  using SSR4::drotate_self;
  using SSR4::fill_C1_C2_C3;
  using SSR4::identity;
  using SSR4::identity_C1;
  using SSR4::identity_C2;
  using SSR4::identity_C3;
  using SSR4::identity_dev;
  using SSR4::identity_sym;
  using SSR4::identity_vol;
  using SSR4::inverse;
  using SSR4::isotropic_E_nu;
  using SSR4::rotate;
  using SSR4::transpose_major;
  using SSR4::transpose_minor;
};
struct OfWWR4 : neml2::WWR4
{
  using WWR4::identity;
};
struct OfRot : neml2::Rot
{
  using Rot::axis_angle;
  using Rot::axis_angle_standard;
  using Rot::deuler_rodrigues;
  using Rot::dist;
  using Rot::drotate_self;
  using Rot::dshadow;
  using Rot::dV;
  using Rot::euler_rodrigues;
  using Rot::fill_euler_angles;
  using Rot::fill_matrix;
  using Rot::fill_random;
  using Rot::fill_rodrigues;
  using Rot::from_axis_angle;
  using Rot::from_axis_angle_standard;
  using Rot::gdist;
  using Rot::identity;
  using Rot::inverse;
  using Rot::rotation_from_to;
  using Rot::shadow;
  using Rot::to_euler_angles;
};
using neml2::convert_euler_angles_from_kocks;
struct OfQuaternion : neml2::Quaternion
{
  using Quaternion::dist;
  using Quaternion::dot;
  using Quaternion::fill;
  using Quaternion::rotation_matrix;
  using Quaternion::to_R2;
};
struct OfMillerIndex : neml2::MillerIndex
{
  using MillerIndex::fill;
  using MillerIndex::reduce;
  using MillerIndex::to_normalized_vec;
  using MillerIndex::to_vec;
};
using neml2::TensorType;
using neml2::TensorTypeEnum;

// ---- Transforms and crystals ----
using neml2::identity_transform;
using neml2::improper_rotation_transform;
using neml2::inversion_transform;
using neml2::proper_rotation_transform;
using neml2::reflection_transform;
using neml2::transform_from_quaternion;
using neml2::Transformable;

namespace crystals
{
using neml2::crystallography::misorientation;
using neml2::crystallography::move_to_fundamental_zone;
using neml2::crystallography::symmetry;
using neml2::crystallography::symmetry_operations_from_orbifold;
using neml2::crystallography::unique_bidirectional;
using neml2::crystallography::crystal_symmetry_operators::cubic;
using neml2::crystallography::crystal_symmetry_operators::hexagonal;
using neml2::crystallography::crystal_symmetry_operators::tetragonal;
namespace other_name = neml2::crystallography::symmetry_operators;
} // namespace crystals

// ---- Functions ----
using neml2::abs;
using neml2::acos;
using neml2::asin;
using neml2::atan;
using neml2::atan2;
using neml2::base_argmax;
using neml2::base_argmin;
using neml2::base_cat;
using neml2::base_diag_embed;
using neml2::base_diagonalize;
using neml2::base_diff;
using neml2::base_linspace;
using neml2::base_logspace;
using neml2::base_max;
using neml2::base_mean;
using neml2::base_min;
using neml2::base_stack;
using neml2::base_sum;
using neml2::base_sum_to_size;
using neml2::batch_cat;
using neml2::batch_diag_embed;
using neml2::batch_mean;
using neml2::batch_stack;
using neml2::batch_sum;
using neml2::bmm;
using neml2::bmv;
using neml2::bvv;
using neml2::cbrt;
using neml2::clamp;
using neml2::clip;
using neml2::ConstantTensors;
using neml2::cos;
using neml2::cosh;
using neml2::cross;
using neml2::d_multiply_and_make_skew_d_first;
using neml2::d_multiply_and_make_skew_d_second;
using neml2::d_skew_and_sym_to_sym_d_skew;
using neml2::d_skew_and_sym_to_sym_d_sym;
using neml2::deg2rad;
using neml2::det;
using neml2::dev;
using neml2::diff;
using neml2::dmacaulay;
using neml2::dynamic_argmax;
using neml2::dynamic_argmin;
using neml2::dynamic_cat;
using neml2::dynamic_diagonalize;
using neml2::dynamic_diff;
using neml2::dynamic_linspace;
using neml2::dynamic_logspace;
using neml2::dynamic_max;
using neml2::dynamic_mean;
using neml2::dynamic_min;
using neml2::dynamic_stack;
using neml2::dynamic_sum;
using neml2::dynamic_sum_to_size;
using neml2::einsum;
using neml2::eq;
using neml2::exp;
using neml2::fmod;
using neml2::full_to_mandel;
using neml2::full_to_mandel_factor;
using neml2::full_to_mandel_map;
using neml2::full_to_reduced;
using neml2::full_to_skew;
using neml2::full_to_skew_factor;
using neml2::full_to_skew_map;
using neml2::gcd;
using neml2::ge;
using neml2::gt;
using neml2::heaviside;
using neml2::imap;
using neml2::imap_v;
using neml2::inner;
using neml2::intmd_cat;
using neml2::intmd_stack;
using neml2::intmd_sum;
using neml2::inv;
using neml2::jacrev;
using neml2::LabeledAxis;
using neml2::LabeledAxisAccessor;
using neml2::LabeledMatrix;
using neml2::LabeledTensor;
using neml2::LabeledTensor3D;
using neml2::LabeledVector;
using neml2::le;
using neml2::list_derivative_outer_product_a;
using neml2::list_derivative_outer_product_ab;
using neml2::list_derivative_outer_product_b;
using neml2::log;
using neml2::log10;
using neml2::logical_and;
using neml2::logical_not;
using neml2::logical_or;
using neml2::logical_xor;
using neml2::lt;
using neml2::macaulay;
using neml2::mandel_factor;
using neml2::mandel_index;
using neml2::mandel_reverse_index;
using neml2::mandel_to_full;
using neml2::mandel_to_full_factor;
using neml2::mandel_to_full_map;
using neml2::maximum;
using neml2::minimum;
using neml2::mm;
using neml2::multiply_and_make_skew;
using neml2::mv;
using neml2::ne;
using neml2::norm;
using neml2::norm_sq;
using neml2::normalize_gcd;
using neml2::outer;
using neml2::pow;
using neml2::reduced_to_full;
using neml2::sign;
using neml2::sin;
using neml2::sinh;
using neml2::skew_and_sym_to_sym;
using neml2::skew_factor;
using neml2::skew_reverse_index;
using neml2::skew_to_full;
using neml2::skew_to_full_factor;
using neml2::skew_to_full_map;
using neml2::sqrt;
using neml2::SubaxisName;
using neml2::tan;
using neml2::tanh;
using neml2::TensorCache;
using neml2::tr;
using neml2::unit;
using neml2::VariableName;
using neml2::vdot;
using neml2::vol;
using neml2::where;

namespace linear_algebra
{
using neml2::linalg::cross;
using neml2::linalg::dsptrf;
using neml2::linalg::eigh;
using neml2::linalg::ieigh;
using neml2::linalg::inv;
using neml2::linalg::lu_factor;
using neml2::linalg::lu_solve;
using neml2::linalg::outer;
using neml2::linalg::solve;
using neml2::linalg::vecdot;
using neml2::linalg::vector_norm;
} // namespace linear_algebra
namespace discretization
{
using neml2::discretization::assemble;
using neml2::discretization::assemble_;
using neml2::discretization::interpolate;
using neml2::discretization::scatter;
} // namespace discretization
namespace math
{
using neml2::math::eps;
using neml2::math::invsqrt2;
using neml2::math::pow;
using neml2::math::sqrt2;
using neml2::math::linalg::inv;
} // namespace math

// ---- Labels ----
struct OfLabeledAxisAccessor : neml2::LabeledAxisAccessor
{
  using LabeledAxisAccessor::append;
  using LabeledAxisAccessor::begin;
  using LabeledAxisAccessor::current;
  using LabeledAxisAccessor::empty;
  using LabeledAxisAccessor::end;
  using LabeledAxisAccessor::is_force;
  using LabeledAxisAccessor::is_old_force;
  using LabeledAxisAccessor::is_old_state;
  using LabeledAxisAccessor::is_parameter;
  using LabeledAxisAccessor::is_residual;
  using LabeledAxisAccessor::is_state;
  using LabeledAxisAccessor::old;
  using LabeledAxisAccessor::prepend;
  using LabeledAxisAccessor::remount;
  using LabeledAxisAccessor::size;
  using LabeledAxisAccessor::slice;
  using LabeledAxisAccessor::start_with;
  using LabeledAxisAccessor::str;
  using LabeledAxisAccessor::vec;
  using LabeledAxisAccessor::with_suffix;
};
struct OfLabeledAxis : neml2::LabeledAxis
{
  using LabeledAxis::add;
  using LabeledAxis::add_subaxis;
  using LabeledAxis::add_variable;
  using LabeledAxis::clear;
  using LabeledAxis::common_indices;
  using LabeledAxis::equals;
  using LabeledAxis::has_forces;
  using LabeledAxis::has_item;
  using LabeledAxis::has_old_forces;
  using LabeledAxis::has_old_state;
  using LabeledAxis::has_parameters;
  using LabeledAxis::has_residual;
  using LabeledAxis::has_state;
  using LabeledAxis::has_subaxis;
  using LabeledAxis::has_variable;
  using LabeledAxis::indices;
  using LabeledAxis::is_setup;
  using LabeledAxis::layout;
  using LabeledAxis::nsubaxis;
  using LabeledAxis::nvariable;
  using LabeledAxis::qualify;
  using LabeledAxis::setup_layout;
  using LabeledAxis::size;
  using LabeledAxis::slice;
  using LabeledAxis::sort_by_assembly_order;
  using LabeledAxis::storage_size;
  using LabeledAxis::subaxes;
  using LabeledAxis::subaxis;
  using LabeledAxis::subaxis_id;
  using LabeledAxis::subaxis_names;
  using LabeledAxis::subaxis_size;
  using LabeledAxis::subaxis_sizes;
  using LabeledAxis::subaxis_slice;
  using LabeledAxis::subaxis_slices;
  using LabeledAxis::variable_id;
  using LabeledAxis::variable_names;
  using LabeledAxis::variable_size;
  using LabeledAxis::variable_sizes;
  using LabeledAxis::variable_slice;
  using LabeledAxis::variable_slices;
  using LabeledAxis::variables;
  using typename LabeledAxis::AssemblySliceCmp;
};
struct OfLabeledVector : neml2::LabeledVector
{
  using LabeledVector::axes;
  using LabeledVector::axis;
  using LabeledVector::base_dim;
  using LabeledVector::base_index;
  using LabeledVector::base_index_put_;
  using LabeledVector::base_size;
  using LabeledVector::base_sizes;
  using LabeledVector::base_storage;
  using LabeledVector::batch_dim;
  using LabeledVector::batch_index;
  using LabeledVector::batch_index_put_;
  using LabeledVector::batch_size;
  using LabeledVector::batch_sizes;
  using LabeledVector::batched;
  using LabeledVector::clone;
  using LabeledVector::copy_;
  using LabeledVector::detach;
  using LabeledVector::detach_;
  using LabeledVector::device;
  using LabeledVector::dim;
  using LabeledVector::empty;
  using LabeledVector::fill;
  using LabeledVector::options;
  using LabeledVector::reinterpret;
  using LabeledVector::requires_grad;
  using LabeledVector::requires_grad_;
  using LabeledVector::scalar_type;
  using LabeledVector::size;
  using LabeledVector::sizes;
  using LabeledVector::slice;
  using LabeledVector::tensor;
  using LabeledVector::to;
  using LabeledVector::zero_;
  using LabeledVector::zeros;
};
struct OfLabeledMatrix : neml2::LabeledMatrix
{
  using LabeledMatrix::axis;
  using LabeledMatrix::base_index;
  using LabeledMatrix::chain;
  using LabeledMatrix::fill;
  using LabeledMatrix::identity;
  using LabeledMatrix::reinterpret;
  using LabeledMatrix::tensor;
  using LabeledMatrix::zeros;
};
struct OfLabeledTensor3D : neml2::LabeledTensor3D
{
  using LabeledTensor3D::axis;
  using LabeledTensor3D::base_index;
  using LabeledTensor3D::chain;
  using LabeledTensor3D::fill;
  using LabeledTensor3D::reinterpret;
  using LabeledTensor3D::tensor;
  using LabeledTensor3D::zeros;
};
using neml2::FORCES;
using neml2::OLD_FORCES;
using neml2::OLD_STATE;
using neml2::PARAMETERS;
using neml2::reserved_subaxis_names;
using neml2::RESIDUAL;
using neml2::STATE;
using neml2::utils::allclose;
} // namespace names_of_2_x

int
main()
{
}
