// SPDX-License-Identifier: MIT
#include "neml2/device/KernelFormula.h"
#include "neml2/device/compilers.h"
#include "neml2/engine/recorded_formula.h"
#include "neml2/recorded/source.h"

#include "neml2/recorded/KernelArguments.h"
#include "recorded/RecordedFunction.h"
#include "support/environment.h"
#include "support/stand_in.h"
#include "support/warnings.h"

#include <array>
#include <cstring>
#include <thread>

#include "support/catch.h"

namespace KernelFormula_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using core::Operand;
using recorded::KernelOperand;

namespace
{
/// The arguments of one launch, as the kernel receives them.
struct Launched
{
  device::DeviceCompiler::Function function;
  unsigned blocks, threads;
  recorded::KernelArguments<1> head{};
  std::vector<KernelOperand> operands;
  c10::Stream stream;

  explicit Launched(const device::DeviceCompiler::Launch & l)
    : function(l.function), blocks(l.blocks), threads(l.threads), stream(l.stream)
  {
    constexpr size_t begin = sizeof head - sizeof(KernelOperand);
    std::memcpy(&head, l.arguments, begin);
    operands.resize((l.bytes - begin) / sizeof(KernelOperand));
    const char * from = static_cast<const char *>(l.arguments) + begin;
    for (auto & o : operands)
    {
      std::memcpy(&o, from, sizeof o);
      from += sizeof o;
    }
  }

  std::vector<Size> size() const { return {head.size, head.size + head.dims}; }
  std::vector<Size> stride(size_t k) const
  {
    return {operands[k].stride, operands[k].stride + head.dims};
  }
};

/// A compiler for the stand-in device that records the calls it receives.
class Recorder : public device::DeviceCompiler
{
public:
  std::vector<std::string> sources;
  std::vector<std::string> images;
  std::vector<c10::Device> devices; ///< for which an image was compiled, or on which it was loaded
  std::vector<Launched> launches;
  std::string fails_to;    ///< the call that fails: compile, load or launch
  bool for_memory = false; ///< whether it fails for lack of memory
  std::string bad_image;   ///< an image that fails to load
  std::string kind = "image of ";
  std::string its = "test"; ///< its version
  std::mutex mutex;

  c10::DeviceType type() const override { return c10::DeviceType::PrivateUse1; }
  std::string version(c10::Device) override { return its; }
  std::string architecture(c10::Device) override { return "host"; }
  std::string compile(const std::string & source, c10::Device device) override
  {
    fail("compile");
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); // others may call meanwhile
    const std::lock_guard<std::mutex> lock(mutex);
    sources.push_back(source);
    devices.push_back(device);
    return kind + source;
  }
  Function load(const std::string & image, c10::Device device) override
  {
    fail("load");
    if (image == bad_image)
      throw NEMLException("no such image");
    const std::lock_guard<std::mutex> lock(mutex);
    devices.push_back(device);
    images.push_back(image);
    return reinterpret_cast<Function>(images.size());
  }
  void launch(const Launch & l) override
  {
    fail("launch");
    const std::lock_guard<std::mutex> lock(mutex);
    launches.emplace_back(l);
  }

  /// A different name for each recorder, since a warning is given once per name.
  std::string reason(const char * what) const
  {
    return std::string("it does not ") + what + " in test " + std::to_string(number);
  }

private:
  const int number = []
  {
    static int n = 0;
    return n++;
  }();

  void fail(const char * what) const
  {
    if (fails_to != what)
      return;
    if (for_memory)
      throw OutOfMemoryException(reason(what));
    throw NEMLException(reason(what));
  }
};

/// A folder for the cache, which is removed at the end, and another compiler, while an object of this struct lives.
struct Setting
{
  test::TemporaryFolder folder;
  test::Variable cache{"NEML2_CACHE", folder.path()};
  std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();

  Setting() { device::set_device_compiler(recorder); }
  ~Setting() { device::set_device_compiler(nullptr); }
  /// Brings about the state of a program that has just started.
  void start_again()
  {
    recorder = std::make_shared<Recorder>();
    device::set_device_compiler(recorder);
  }
};

/// The formula a k + b of vectors a and b and a number k, by components.
engine::RecordedFormula
formula(double constant = 0)
{
  recorded::Recording r;
  std::vector<engine::RecordedFormula::Tensor> arguments, results;
  {
    const recorded::Recording::Scope scope(r);
    const auto argument = [&](size_t n, bool is_number)
    {
      std::vector<recorded::Number> x;
      engine::RecordedFormula::Tensor t;
      t.is_number = is_number;
      if (!is_number)
        t.base = TensorShape{Size(n)};
      for (size_t i = 0; i < n; i++)
      {
        x.emplace_back(recorded::Symbol::input());
        if (!is_number)
          x.back().d[0] = recorded::Symbol::input();
        t.values.push_back(x.back().x.id);
        if (!is_number)
          t.partials.push_back(x.back().d[0].id);
      }
      arguments.push_back(t);
      return x;
    };
    const auto a = argument(3, false), b = argument(3, false), k = argument(1, true);
    engine::RecordedFormula::Tensor y;
    y.base = TensorShape{3};
    for (size_t i = 0; i < 3; i++)
    {
      const recorded::Number n = a[i] * k[0] + b[i] + recorded::Number(constant);
      y.values.push_back(n.x.id);
      y.partials.push_back(n.d[0].id);
    }
    results.push_back(y);
  }
  return {std::move(r), std::move(arguments), std::move(results), "a k + b"};
}

/// A call of the formula with two tensors, and a record of what it did.
struct Call
{
  at::Tensor result;
  bool fused, composed = false;

  Call(const engine::RecordedFormula & f, const at::Tensor & a, const at::Tensor & b, double k = 2)
  {
    const TensorShapeRef base(three);
    const Operand o[] = {
        {&a, "Vec", a.dim() - 1, base}, {&b, "Vec", b.dim() - 1, base}, core::operand(k)};
    const TensorShape batch = core::broadcast_batch("test", o);
    const auto compose = [&](at::Tensor * r)
    {
      composed = true;
      r[0] = a * k + b;
    };
    const auto bases = f.bases();
    fused = engine::evaluate(
        {"test", o, batch, engine::row_formula(f.value()), bases, compose, engine::no_gradient},
        &result);
    REQUIRE(fused != composed);
    REQUIRE(result.sizes() == TensorShapeRef(utils::add_shapes(batch, base)));
    REQUIRE(result.device() == a.device());
  }

private:
  static constexpr Size three[] = {3};
};

at::Tensor
rows(at::IntArrayRef batch, Dtype dtype = kFloat64)
{
  return at::rand(utils::add_shapes(batch, {3}), at::TensorOptions(dtype).device(test::stand_in()));
}
} // namespace

TEST_CASE("A formula on a device is one launch of a kernel of its source", "[engine][stand-in]")
{
  const Setting now;
  const auto f = formula();
  const at::Tensor a = rows({4, 5}), b = rows({4, 5});
  const Call c(f, a, b, 2.5);
  REQUIRE(c.fused);
  REQUIRE(now.recorder->sources ==
          std::vector<std::string>{recorded::cuda_source(f.value(), false)});
  REQUIRE(now.recorder->images ==
          std::vector<std::string>{"image of " + recorded::cuda_source(f.value(), false)});
  REQUIRE(now.recorder->devices == std::vector<c10::Device>(2, test::stand_in()));
  REQUIRE(now.recorder->launches.size() == 1);
  const Launched & l = now.recorder->launches[0];
  REQUIRE(l.function == reinterpret_cast<void *>(1));
  REQUIRE(l.blocks == 1);
  REQUIRE(l.threads == 128);
  REQUIRE(l.stream.device() == test::stand_in());
  REQUIRE(l.head.rows == 20);
  REQUIRE(l.size() == std::vector<Size>{20}); // both dimensions are merged
  REQUIRE(l.operands.size() == 4);
  REQUIRE(l.operands[0].data == a.data_ptr());
  REQUIRE(l.operands[1].data == b.data_ptr());
  REQUIRE(l.operands[2].number == 2.5);
  REQUIRE(l.operands[3].data == c.result.data_ptr());
  for (const size_t k : {0, 1, 3})
    REQUIRE(l.stride(k) == std::vector<Size>{3});
}

TEST_CASE("A kernel's rows lie where those of its operands do", "[engine][stand-in]")
{
  const Setting now;
  const auto f = formula();
  const auto launched = [&](const at::Tensor & a, const at::Tensor & b)
  {
    REQUIRE(Call(f, a, b).fused);
    return now.recorder->launches.back();
  };
  const auto shared = launched(rows({4, 5}), rows({5}));
  REQUIRE(shared.size() == std::vector<Size>{4, 5});
  REQUIRE(shared.stride(0) == std::vector<Size>{15, 3});
  REQUIRE(shared.stride(1) == std::vector<Size>{0, 3});
  const auto expanded = launched(rows({4, 5}), rows({}).expand({4, 5, 3}));
  REQUIRE(expanded.size() == std::vector<Size>{20});
  REQUIRE(expanded.stride(1) == std::vector<Size>{0});
  const auto outer = launched(rows({4, 1}), rows({1, 5}));
  REQUIRE(outer.stride(0) == std::vector<Size>{3, 0});
  REQUIRE(outer.stride(1) == std::vector<Size>{0, 3});
  REQUIRE(outer.stride(3) == std::vector<Size>{15, 3});
  const auto every_second = launched(rows({8}).slice(0, 0, 8, 2), rows({4}));
  REQUIRE(every_second.stride(0) == std::vector<Size>{6});
  const auto columns = launched(rows({5, 4}).transpose(0, 1), rows({5, 4}).transpose(0, 1));
  REQUIRE(columns.size() == std::vector<Size>{20}); // the result has the same order
  const auto one = launched(rows({}), rows({}));
  REQUIRE(one.head.rows == 1);
  REQUIRE(one.size() == std::vector<Size>{1});
}

TEST_CASE("Numbers of a row that are not side by side are copied for a kernel",
          "[engine][stand-in]")
{
  const Setting now;
  const auto f = formula();
  const at::Tensor a = rows({3}).transpose(0, 1), b = rows({3});
  REQUIRE(Call(f, a, b).fused);
  const Launched & l = now.recorder->launches.back();
  REQUIRE(l.operands[0].data != a.data_ptr());
  REQUIRE(l.stride(0) == std::vector<Size>{3});
  REQUIRE(l.operands[1].data == b.data_ptr());
  const at::Tensor columns = rows({3}).transpose(0, 1).unsqueeze(0).expand({7, 3, 3});
  REQUIRE(Call(f, columns, rows({7, 3})).fused);
  REQUIRE(now.recorder->launches.back().stride(0) == std::vector<Size>{0, 3}); // the copy: 3 rows
}

TEST_CASE("A kernel has a thread for each row, in blocks of 128", "[engine][stand-in]")
{
  const Setting now;
  const auto f = formula();
  for (const auto & [n, blocks] :
       std::vector<std::pair<Size, unsigned>>{{1, 1}, {128, 1}, {129, 2}, {1000, 8}})
  {
    REQUIRE(Call(f, rows({n}), rows({})).fused);
    REQUIRE(now.recorder->launches.back().head.rows == n);
    REQUIRE(now.recorder->launches.back().blocks == blocks);
  }
  REQUIRE(Call(f, rows({0}), rows({})).fused);
  REQUIRE(now.recorder->launches.size() == 4); // none for an empty batch
  const Size many = Size(1) << 40;
  const at::Tensor a = rows({}).expand({many, 3}), b = rows({}), y = rows({}).expand({many, 3});
  const Size batch[] = {many}, base[] = {3};
  const double k = 2;
  REQUIRE(f.value().evaluate_into(
      {{&a, "Vec", 1, base}, {&b, "Vec", 0, base}, core::operand(k)}, batch, y));
  REQUIRE(now.recorder->launches.back().head.rows == many);
  REQUIRE(now.recorder->launches.back().blocks == 2147483647);
}

TEST_CASE("A formula is compiled once for each dtype", "[engine][stand-in]")
{
  const Setting now;
  const auto f = formula();
  for (int i = 0; i < 3; i++)
    REQUIRE(Call(f, rows({2}), rows({2})).fused);
  REQUIRE(now.recorder->sources.size() == 1);
  REQUIRE(Call(f, rows({2}, kFloat32), rows({2}, kFloat32)).result.dtype() == kFloat32);
  REQUIRE(now.recorder->sources ==
          std::vector<std::string>{recorded::cuda_source(f.value(), false),
                                   recorded::cuda_source(f.value(), true)});
  const auto same = formula(), other = formula(1);
  REQUIRE(Call(same, rows({2}), rows({2})).fused); // another formula has this source
  REQUIRE(now.recorder->images.size() == 2);
  REQUIRE(Call(other, rows({2}), rows({2})).fused);
  REQUIRE(now.recorder->images.size() == 3);
  const auto kernels = device_kernels();
  const DeviceKernel & k = kernels[kernels.size() - 3];
  REQUIRE(k.name == "a k + b");
  REQUIRE(k.dtype == kFloat64);
  REQUIRE(k.architecture == "host");
  REQUIRE_FALSE(k.from_cache);
  REQUIRE(k.launches == 4);
}

TEST_CASE("Threads that need a kernel at once compile it once", "[engine][stand-in]")
{
  const Setting now;
  const auto f = formula();
  const at::Tensor a = rows({2});
  std::vector<std::thread> threads;
  std::array<bool, 4> fused{};
  const Size batch[] = {2}, base[] = {3};
  const double k = 2;
  for (bool & is_fused : fused)
    threads.emplace_back(
        [&]
        {
          at::Tensor y;
          const auto bases = f.bases();
          is_fused =
              f.value().evaluate("test",
                                 {{&a, "Vec", 1, base}, {&a, "Vec", 1, base}, core::operand(k)},
                                 batch,
                                 bases,
                                 &y);
        });
  for (auto & t : threads)
    t.join();
  REQUIRE(fused == std::array<bool, 4>{true, true, true, true});
  REQUIRE(now.recorder->sources.size() == 1);
  REQUIRE(now.recorder->launches.size() == 4);
}

TEST_CASE("Another process takes a kernel from the cache", "[engine][stand-in]")
{
  Setting now;
  const auto f = formula();
  const auto compiled = [&](const std::string & version = "test")
  {
    now.start_again();
    now.recorder->its = version;
    REQUIRE(Call(f, rows({2}), rows({2})).fused);
    REQUIRE(now.recorder->images.size() == 1);
    REQUIRE(device_kernels().back().from_cache == now.recorder->sources.empty());
    return now.recorder->sources.size();
  };
  REQUIRE(compiled() == 1);
  REQUIRE(compiled() == 0);
  REQUIRE(compiled("another version") == 1);
  REQUIRE(now.folder.files() == 2);
  now.folder.each([](const std::string & file) { test::write(file, test::read(file).substr(1)); });
  REQUIRE(compiled() == 1); // incomplete files are not used
  REQUIRE(compiled() == 0);
  now.folder.each([](const std::string & file) { test::write(file, ""); });
  REQUIRE(compiled() == 1);
  const test::Variable nowhere("NEML2_CACHE", now.folder.path() + "/file/below");
  test::write(now.folder.path() + "/file", "");
  REQUIRE(compiled() == 1); // unwritable files are not kept
  REQUIRE(compiled() == 1);
}

TEST_CASE("An image that does not load is compiled again", "[engine][stand-in]")
{
  Setting now;
  const auto f = formula();
  const test::Warnings warnings;
  REQUIRE(Call(f, rows({2}), rows({2})).fused);
  const std::string bad = now.recorder->images[0];
  now.start_again();
  now.recorder->bad_image = bad;
  now.recorder->kind = "good image of ";
  REQUIRE(Call(f, rows({2}), rows({2})).fused);
  const std::string good = "good " + bad;
  REQUIRE(now.recorder->sources.size() == 1);
  REQUIRE(now.recorder->images == std::vector<std::string>{good});
  REQUIRE_FALSE(device_kernels().back().from_cache);
  now.start_again(); // the cache has it
  REQUIRE(Call(f, rows({2}), rows({2})).fused);
  REQUIRE(now.recorder->sources.empty());
  REQUIRE(now.recorder->images == std::vector<std::string>{good});
  REQUIRE(warnings.messages.empty());
}

TEST_CASE("A formula that fails for lack of memory is tried again by the next call",
          "[engine][stand-in]")
{
  for (const char * const what : {"compile", "load", "launch"})
  {
    const Setting now;
    now.recorder->fails_to = what;
    now.recorder->for_memory = true;
    const auto f = formula(10 + what[1]); // its source was not compiled before
    const test::Warnings warnings;
    const test::Variable nowhere("NEML2_CACHE", "/dev/null/none"); // no cache, yet compiled once
    for (int i = 0; i < 2; i++)
      REQUIRE(Call(f, rows({2}), rows({2})).composed);
    REQUIRE(warnings.messages.size() == 1);
    REQUIRE_THAT(warnings.messages[0],
                 ContainsSubstring(now.recorder->reason(what) + ". The next call tries again."));
    now.recorder->fails_to.clear();
    for (int i = 0; i < 2; i++)
      REQUIRE(Call(f, rows({2}), rows({2})).fused);
    REQUIRE(now.recorder->sources.size() == 1);
    REQUIRE(now.recorder->launches.size() == 2);
  }
}

TEST_CASE("An image of the cache that memory lacks for is not compiled again", "[engine][stand-in]")
{
  Setting now;
  const auto f = formula();
  REQUIRE(Call(f, rows({2}), rows({2})).fused);
  now.start_again();
  now.recorder->fails_to = "load";
  now.recorder->for_memory = true;
  const test::Warnings warnings;
  REQUIRE(Call(f, rows({2}), rows({2})).composed);
  now.recorder->fails_to.clear();
  REQUIRE(Call(f, rows({2}), rows({2})).fused);
  REQUIRE(now.recorder->sources.empty());
  REQUIRE(device_kernels().back().from_cache);
}

TEST_CASE("A formula without a kernel is composed, and one warning says why", "[engine][stand-in]")
{
  for (const char * const what : {"compile", "load", "launch"})
  {
    const Setting now;
    now.recorder->fails_to = what;
    const auto f = formula(what[1]); // its source was not compiled before
    const test::Warnings warnings;
    for (int i = 0; i < 3; i++)
    {
      const at::Tensor a = rows({2}), b = rows({2});
      const Call c(f, a, b);
      REQUIRE(c.composed);
      REQUIRE(at::equal(c.result.cpu(), a.cpu() * 2 + b.cpu()));
    }
    REQUIRE(warnings.messages.size() == 1);
    REQUIRE_THAT(warnings.messages[0],
                 ContainsSubstring("a k + b runs by LibTorch's calls on ") &&
                     ContainsSubstring(now.recorder->reason(what)) &&
                     ContainsSubstring("NEML2_DEVICE_KERNELS=0"));
    REQUIRE(now.recorder->launches.empty());
  }
}

TEST_CASE("Kernels can be turned off", "[engine][stand-in]")
{
  const Setting now;
  const test::Warnings warnings;
  const auto f = formula();
  {
    const test::Variable off("NEML2_DEVICE_KERNELS", "0");
    REQUIRE(Call(f, rows({2}), rows({2})).composed);
  }
  REQUIRE(Call(f, rows({2}), rows({2})).fused);
  device::set_device_compiler(nullptr);
  REQUIRE(Call(f, rows({2}), rows({2})).composed);
  REQUIRE(warnings.messages.empty());
}

TEST_CASE("Operands that no kernel takes are composed", "[engine][stand-in]")
{
  const Setting now;
  const test::Warnings warnings;
  const auto f = formula();
  const at::Tensor a = rows({2});
  REQUIRE(Call(f, rows({2}).requires_grad_(), a).composed); // it has no gradient to record
  REQUIRE(Call(f, a.to(at::kHalf), a.to(at::kHalf)).composed);
  std::vector<Size> alternating(10, 2), others(10, 1);
  for (size_t d = 0; d < 10; d += 2)
    std::swap(alternating[d], others[d]);
  REQUIRE(Call(f, rows(alternating), rows(others)).composed); // ten dimensions that do not merge
  REQUIRE(warnings.messages.empty());
  REQUIRE(now.recorder->launches.empty());
  const at::Tensor here = at::rand({2, 3}, kFloat64);
  REQUIRE(Call(f, here, here).result.is_cpu()); // fused on the CPU, without a kernel
  REQUIRE(now.recorder->launches.empty());
}

TEST_CASE("Results are written to existing tensors on a device", "[engine][stand-in]")
{
  const Setting now;
  const auto f = formula();
  const at::Tensor a = rows({2}), b = rows({2});
  const double k = 2;
  const Size batch[] = {2}, base[] = {3};
  const Operand o[] = {{&a, "Vec", 1, base}, {&b, "Vec", 1, base}, core::operand(k)};
  const auto into = [&](at::Tensor y)
  {
    const Operand out[] = {{&y, "Vec", 1, base}};
    const auto before = y._version();
    engine::evaluate_into({"test",
                           o,
                           batch,
                           engine::row_formula(f.value()),
                           {},
                           [](at::Tensor *) { FAIL(); },
                           engine::no_gradient},
                          out,
                          &y);
    REQUIRE(y._version() > before);
    return now.recorder->launches.back().operands[3].data;
  };
  at::Tensor y = rows({2}), columns = rows({3}).transpose(0, 1).slice(0, 0, 2);
  REQUIRE(into(y) == y.data_ptr());
  REQUIRE(into(columns) != columns.data_ptr()); // copied there
}
} // namespace KernelFormula_test
