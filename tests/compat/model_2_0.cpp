// SPDX-License-Identifier: MIT
// A model, a solver and a driver as in programs for NEML2 2.0: viscoplasticity with linear
// hardening, whose yield stress requires a gradient.
#include "neml2/base/LabeledAxis.h"
#include "neml2/misc/math.h"
#include "neml2/misc/utils.h"
#include "neml2/tensors/LabeledMatrix.h"
#include "neml2/tensors/LabeledVector.h"

#include "support/catch.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

using namespace neml2;

namespace
{
/// The value of a variable; it is a separate leaf if derivatives by it are requested.
template <class T>
class Variable
{
public:
  explicit Variable(VariableName name) : _name(std::move(name)) {}

  const VariableName & name() const { return _name; }
  void set(const Tensor & value) { _value = T(value.base_reshape(T::const_base_sizes)); }
  void requires_grad_() { _value.requires_grad_(); }
  operator T() const { return _value; }
  Tensor tensor() const { return _value; }

private:
  VariableName _name;
  T _value;
};

/// r(x; forces, old state, parameters) = 0 with x = (stress, equivalent plastic strain).
class Viscoplasticity
{
public:
  Viscoplasticity() : _s("stress"), _ep({"internal", "ep"})
  {
    _state.add<SR2>(_s.name()).add<Scalar>(_ep.name());
    _state.setup_layout();
    _residual.add<Scalar>(_ep.name()).add<SR2>(_s.name()).setup_layout();
    _parameters["E"] = Scalar(100.0, default_tensor_options());
    _parameters["nu"] = Scalar(0.3, default_tensor_options());
    _parameters["H"] = Scalar(10.0, default_tensor_options());
    _parameters["eta"] = Scalar(5.0, default_tensor_options());
    _parameters["sy"] = Scalar(0.5, default_tensor_options());
  }

  const LabeledAxis & state_axis() const { return _state; }
  Tensor & parameter(const std::string & name) { return _parameters.at(name); }
  void set_forces(const SR2 & de, const Scalar & dt)
  {
    _de = de;
    _dt = dt;
  }
  void set_old_state(const LabeledVector & old)
  {
    _s_old = old.reinterpret<SR2>({_s.name()});
    _ep_old = old.reinterpret<Scalar>({_ep.name()});
  }

  /// The residual and, if asked for, its derivative by the state.
  LabeledVector assemble(const LabeledVector & x, LabeledMatrix * jacobian = nullptr)
  {
    _s.set(x.base_index({_s.name()}));
    _ep.set(x.base_index({_ep.name()}));
    if (jacobian)
    {
      _s.requires_grad_();
      _ep.requires_grad_();
    }

    const SR2 s = _s;
    const Scalar ep = _ep, E(_parameters["E"]), nu(_parameters["nu"]), H(_parameters["H"]);
    const Scalar eta(_parameters["eta"]), sy(_parameters["sy"]);
    const SSR4 C = SSR4::isotropic_E_nu(E, nu);
    const SR2 dev = s.dev();
    const Scalar vm = std::sqrt(1.5) * dev.norm(math::eps);
    const Scalar rate = math::pow(math::macaulay(vm - sy - H * ep) / eta, 2.0);
    const SR2 rs = s - _s_old - C * (_de - _dt * rate * 1.5 * dev / vm);
    const Scalar rep = ep - _ep_old - _dt * rate;

    auto r = LabeledVector::zeros(x.batch_sizes(), {&_residual}, x.options());
    r.base_index_put_({_s.name()}, rs);
    r.base_index_put_({_ep.name()}, rep);
    if (jacobian)
    {
      auto J = LabeledMatrix::zeros(x.batch_sizes(), {&_residual, &_state}, x.options());
      const std::vector<Tensor> unknowns = {_s.tensor(), _ep.tensor()};
      const auto ds = math::jacrev(Tensor(rs), unknowns), dep = math::jacrev(Tensor(rep), unknowns);
      J.base_index_put_({_s.name(), _s.name()}, ds[0].detach());
      J.base_index_put_({_s.name(), _ep.name()}, ds[1].detach());
      J.base_index_put_({_ep.name(), _s.name()}, dep[0].detach());
      J.base_index_put_({_ep.name(), _ep.name()}, dep[1].detach());
      *jacobian = J;
    }
    return r;
  }

private:
  Variable<SR2> _s;
  Variable<Scalar> _ep;
  LabeledAxis _state, _residual;
  std::map<std::string, Tensor> _parameters;
  SR2 _de, _s_old;
  Scalar _dt, _ep_old;
};

/// Newton's method. The iteration runs outside of the graph; a last step on the graph has the
/// derivatives.
struct Newton
{
  double atol = 1e-12;
  size_t miters = 40;

  LabeledVector solve(Viscoplasticity & system, const LabeledVector & guess) const
  {
    LabeledVector x = guess.detach().clone();
    for (size_t i = 0; i < miters; i++)
    {
      LabeledMatrix J;
      const LabeledVector r = system.assemble(x, &J);
      const Scalar nr = math::linalg::vector_norm(Tensor(r).detach());
      const auto dx = -Tensor(math::linalg::solve(Tensor(J), Tensor(r)));
      if (torch::max(nr).item<double>() < atol)
        return LabeledVector(x.tensor().detach() + step(system, x, J), x.axes());
      x.tensor().variable_data() += dx.detach();
    }
    throw NEMLException("Newton did not converge.");
  }

private:
  /// -J⁻¹ r, with r on the graph of the parameters and of the old state, not of x.
  static Tensor step(Viscoplasticity & system, const LabeledVector & x, const LabeledMatrix & J)
  {
    const LabeledVector r = system.assemble(x.detach());
    return -Tensor(math::linalg::solve(Tensor(J), Tensor(r)));
  }
};

/// The states at the end of each of these times, all strain rates at once.
std::vector<LabeledVector>
drive(Viscoplasticity & model, const Scalar & times, const SR2 & strain_rate)
{
  const Newton solver;
  std::vector<LabeledVector> results = {
      LabeledVector::zeros(strain_rate.batch_sizes(), {&model.state_axis()})};
  for (Size i = 1; i < times.batch_size(0).concrete(); i++)
  {
    const Scalar dt = times.batch_index({i}) - times.batch_index({i - 1});
    model.set_forces(strain_rate * dt, dt);
    model.set_old_state(results.back());
    results.push_back(solver.solve(model, results.back()));
  }
  return results;
}

const SR2 &
strain_rates()
{
  static const SR2 rates = SR2::fill(Scalar::create({0.01, 0.02, -0.03}),
                                     Scalar::create({-0.004, -0.01, 0.01}),
                                     Scalar::create({-0.004, 0.0, 0.02}),
                                     Scalar::create({0.0, 0.005, 0.01}),
                                     Scalar::create({0.001, 0.0, 0.0}),
                                     Scalar::create({0.0, 0.0, -0.002}));
  return rates;
}

/// The misfit that a calibration would minimise.
Scalar
objective(const std::vector<LabeledVector> & results)
{
  const LabeledVector & last = results.back();
  return last.reinterpret<SR2>({"stress"}).norm_sq() +
         last.reinterpret<Scalar>({VariableName{"internal", "ep"}}) * 10.0;
}

double
objective_of(double sy)
{
  Viscoplasticity model;
  model.parameter("sy") = Scalar(sy, default_tensor_options());
  const auto times = Scalar::linspace(
      Scalar(0.0, default_tensor_options()), Scalar(4.0, default_tensor_options()), 9, 0, 1);
  return at::Tensor(objective(drive(model, times, strain_rates()))).sum().item<double>();
}
} // namespace

TEST_CASE("A model of 2.0 is solved over time steps", "[model]")
{
  Viscoplasticity model;
  const auto times = Scalar::linspace(Scalar::zeros(), Scalar::full(4.0), 9);
  const auto results = drive(model, times, strain_rates());
  REQUIRE(results.size() == 9);
  const auto ep = [&](size_t i) { return results[i].reinterpret<Scalar>({{"internal", "ep"}}); };
  REQUIRE(at::all(ep(8) > 1e-3).item<bool>());
  for (size_t i = 1; i < results.size(); i++)
  {
    REQUIRE(results[i].batch_sizes() == TensorShape{3});
    REQUIRE(at::all(ep(i) >= ep(i - 1)).item<bool>());
    REQUIRE(!results[i].requires_grad());
  }
  // The volumetric response is elastic: tr s = 3 K tr e.
  const double three_k = 100.0 / (1 - 2 * 0.3);
  REQUIRE(at::allclose(results[8].reinterpret<SR2>({"stress"}).tr(),
                       three_k * 4.0 * strain_rates().tr()));
}

TEST_CASE("The derivative by a parameter of a model of 2.0 is that of differences", "[model]")
{
  const double sy = 0.5, h = 1e-4;
  Viscoplasticity model;
  model.parameter("sy") = Scalar(sy, default_tensor_options().requires_grad(true));
  const auto times = Scalar::linspace(Scalar::zeros(), Scalar::full(4.0), 9);
  const auto results = drive(model, times, strain_rates());
  const at::Tensor f = at::Tensor(objective(results)).sum();
  REQUIRE(std::abs(f.item<double>() - objective_of(sy)) < 1e-9);
  f.backward();
  const double derivative = model.parameter("sy").grad().item<double>();
  const double differences = (objective_of(sy + h) - objective_of(sy - h)) / (2 * h);
  INFO(derivative << " by autograd, " << differences << " by differences");
  REQUIRE(std::abs(derivative) > 0.1);
  REQUIRE(std::abs(derivative - differences) < 1e-6 * std::abs(differences));
}
