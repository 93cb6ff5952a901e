# SPDX-License-Identifier: MIT
"""No input may crash the interpreter: odd input gives an answer or a Python exception.

All programs run in forks of one interpreter, so that a program that crashes is only one failed test.
"""

import json
import textwrap

import pytest
import torch
from support import of_cpp, run

from neml2 import math, tensors
from neml2.tensors import R2, SR2, SSR4, WR2, LabeledAxis, LabeledVector, Quaternion, Rot, Scalar, Tensor, Vec

DRIVER = """
import copy, gc, json, os, pickle, signal, sys, tempfile, traceback, warnings
import numpy as np, torch, neml2
from neml2 import crystallography, math, tensors
from neml2.tensors import *

torch.set_default_dtype(torch.float64)
warnings.simplefilter("ignore")


def raises(*errors):
    class Raises:
        def __enter__(self):
            return self

        def __exit__(self, kind, value, trace):
            assert kind, "nothing was raised"
            if issubclass(kind, errors):
                self.message = str(value)
                return True

    return Raises()


for name, program in json.load(sys.stdin).items():
    with tempfile.TemporaryFile("w+") as log:
        child = os.fork()
        if child == 0:
            os.dup2(log.fileno(), 2)
            signal.alarm(120)
            try:
                exec(program, dict(globals()))
                gc.collect()
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        log.seek(0)
        print(json.dumps([name, status, log.read()[-2000:]]), flush=True)
"""

PROGRAMS = {
    # ---- Objects that are not constructed, or twice ----
    "methods of what is not constructed": """
        for cls in [c for c in vars(tensors).values() if isinstance(c, type)]:
            for attribute in dir(cls):
                for arguments in ((), (1,), (SR2.zeros(),), (cls.__new__(cls),)):
                    if attribute in ("__new__", "__init__", "__class__", "__subclasshook__", "__init_subclass__"):
                        continue
                    try:
                        x = getattr(cls.__new__(cls), attribute)
                        if callable(x):
                            x(*arguments)
                    except Exception as e:
                        assert not isinstance(e, SystemError), (cls, attribute)
        """,
    "arguments that are not constructed": """
        e = SR2.__new__(SR2)
        for f in (
            lambda: SR2(e),
            lambda: SR2.zeros(2) + e,
            lambda: e + 1,
            lambda: math.norm(e),
            lambda: SSR4.zeros() * e,
            lambda: math.batch_cat([e, e]),
            lambda: SR2.zeros_like(e),
            lambda: SR2.zeros(2).batch.expand_as(e),
            lambda: SR2.zeros(2).copy_(e),
            lambda: Rot(Vec.__new__(Vec)),
            lambda: pickle.dumps(e),
            lambda: copy.deepcopy(e),
        ):
            with raises(TypeError):
                f()
        for f in (
            lambda: SR2.zeros(2).batch[Scalar.__new__(Scalar)],
            lambda: SR2.zeros(2).batch.__setitem__(0, e),
            lambda: SR2.zeros().norm().backward(Scalar.__new__(Scalar)),
        ):
            with raises(Exception):
                f()
        """,
    "views that are not constructed": """
        for cls in (type(SR2.zeros().batch), type(SR2.zeros().base)):
            with raises(TypeError):
                cls()
            for f in (lambda v: v.shape, lambda v: v[0], repr, len, lambda v: v.__setitem__(0, 1)):
                with raises(TypeError):
                    f(cls.__new__(cls))
        """,
    "the base of all types": """
        with raises(TypeError):
            TensorBase()


        class Mine(TensorBase):
            def __init__(self):
                pass


        for f in (lambda x: x.norm(), lambda x: x + 1, lambda x: x.batch, lambda x: SR2(x), lambda x: x.torch()):
            with raises(Exception):
                f(Mine())
            with raises(Exception):
                f(TensorBase.__new__(TensorBase))
        """,
    "constructed twice": """
        a = SR2.zeros(2)
        for _ in range(1000):
            try:
                a.__init__(torch.rand(5, 6))
            except Exception:
                pass
        assert a.batch.shape in ((2,), (5,))
        a.norm()
        b = a + a
        with raises(Exception):
            a.__init__("x")
        a.norm()
        """,
    "constructed twice below a view": """
        t = Tensor(torch.rand(4, 5, 6), 3)
        batch, base = t.batch, t.base
        try:
            t.__init__(torch.rand(()), 0)
        except Exception:
            pass
        for use in (
            lambda: batch.shape,
            lambda: base.shape,
            lambda: batch[0],
            lambda: repr(batch),
            lambda: len(batch),
            lambda: batch.flatten(),
            lambda: base[...],
            lambda: batch.size(2),
            lambda: batch.__setitem__(0, 1),
        ):
            try:
                use()
            except Exception:
                pass
        try:
            t.__init__()
        except Exception:
            pass
        for use in (lambda: batch.shape, lambda: batch.dim(), lambda: batch[0], lambda: base.dim(), lambda: repr(base)):
            try:
                use()
            except Exception:
                pass
        """,
    "another class": """
        a = SR2.zeros(100000)
        for cls in (SSR4, R2, Scalar, Tensor, Rot, SSSSR8, TensorBase, type(a.batch), object):
            with raises(TypeError):
                a.__class__ = cls
        with raises(TypeError):
            a.batch.__class__ = type(a.base)
        """,
    "several bases": """
        for bases in ((SR2, Vec), (SR2, torch.Tensor), (SR2, int), (SR2, dict), (SR2, Exception)):
            try:
                cls = type("Mixed", bases, {})
            except TypeError:
                continue
            try:
                a = cls(torch.rand(2, 6))
                a.norm(), a + 1, repr(a)
            except TypeError:
                pass


        class Mixin:
            def twice(self):
                return self + self


        class Stress(Mixin, SR2):
            __slots__ = ("unit",)


        a = Stress(torch.rand(2, 6))
        a.unit = a
        assert a.twice().batch.shape == (2,)
        del a
        """,
    "cycles": """
        class Stress(SR2):
            pass


        for _ in range(1000):
            a = Stress(torch.rand(6))
            a.me, a.list, a.view = a, [a], a.batch
        a.f = lambda: a
        b = copy.copy(a), copy.deepcopy(a)
        pickle.dumps(SR2(a))
        del a
        gc.collect()
        """,
    # ---- Tensors of torch that change below ----
    "resized below": """
        def spoil(change):
            raw = torch.rand(100000, 6)
            a = SR2(raw)
            t = Tensor(raw, 1)
            v = a.batch
            change(raw)
            s = SSR4.zeros()
            for use in (
                lambda: a.norm(),
                lambda: a.dev(),
                lambda: a + a,
                lambda: a * Scalar.zeros(100000),
                lambda: s * a,
                lambda: a.batch.shape,
                lambda: a.base.shape,
                lambda: repr(a),
                lambda: str(a),
                lambda: v[0],
                lambda: v.shape,
                lambda: v.flatten(),
                lambda: a.base[0],
                lambda: a.clone(),
                lambda: a.inner(a),
                lambda: a.rotate(Rot.zeros()),
                lambda: copy.deepcopy(a),
                lambda: pickle.dumps(a),
                lambda: a.copy_(a),
                lambda: SR2.zeros_like(a),
                lambda: math.eigh(a),
                lambda: a.base.flatten(),
                lambda: a(0, 1),
                lambda: t + t,
                lambda: t.batch.shape,
                lambda: a.__iadd__(a),
                lambda: a.numpy(),
                lambda: a.tolist(),
                lambda: bool(a == a),
            ):
                try:
                    use()
                except Exception:
                    pass


        for change in (
            lambda r: r.resize_(0),
            lambda r: r.resize_(1000),
            lambda r: r.resize_(()),
            lambda r: r.resize_(10, 7),
            lambda r: r.resize_(7, 10),
            lambda r: r.t_(),
            lambda r: r.unsqueeze_(0),
            lambda r: r.unsqueeze_(-1),
            lambda r: r.set_(),
            lambda r: r.set_(torch.rand(3)),
            lambda r: setattr(r, "data", torch.rand(2)),
            lambda r: setattr(r, "data", torch.rand(2, 6, dtype=torch.float32)),
            lambda r: r.resize_(1, 1, 1, 1, 1, 1, 1, 6),
            lambda r: r.resize_(2, 0),
            lambda r: r.swapaxes_(0, 1),
        ):
            spoil(change)
        """,
    # ---- Tensors of torch of other kinds ----
    "other layouts": """
        t = torch.rand(5, 6)
        kinds = [
            t.to_sparse(),
            t.to_sparse_csr(),
            t.to_sparse_csc(),
            t.float().to_mkldnn(),
            torch.nested.nested_tensor([t, t]),
            torch.nested.nested_tensor([t, t], layout=torch.jagged),
            torch._efficientzerotensor((5, 6)),
            torch.quantize_per_tensor(t.float(), 0.1, 0, torch.qint8),
            t.to_sparse(1),
            t.T.conj().T,
            t.cfloat().conj(),
            torch.empty(5, 6, device="meta"),
            t.expand(3, 5, 6),
            t.as_strided((5, 6), (0, 0)),
            t[:, :0].expand(5, 0),
        ]
        kinds += [
            torch.zeros(5, 6, dtype=d)
            for d in (
                torch.bool,
                torch.uint8,
                torch.int8,
                torch.int32,
                torch.float16,
                torch.bfloat16,
                torch.complex64,
                torch.complex32,
                torch.float8_e4m3fn,
                torch.uint16,
                torch.uint64,
            )
        ]
        for k in kinds:
            for use in (
                lambda a: a.norm(),
                lambda a: a.dev(),
                lambda a: a + a,
                lambda a: 2 * a,
                lambda a: SSR4.zeros() * a,
                lambda a: a.batch[0],
                lambda a: a.base[0],
                repr,
                str,
                lambda a: a.inner(a),
                lambda a: -a,
                lambda a: a < 1,
                lambda a: a.rotate(Rot.zeros()),
                lambda a: a.batch.expand(5),
                lambda a: a.batch.flatten(),
                copy.deepcopy,
                pickle.dumps,
                lambda a: a.clone(),
                lambda a: a.numpy(),
                lambda a: a.__iadd__(1),
                lambda a: a.zero_(),
                lambda a: a.copy_(SR2.zeros(5)),
                lambda a: SR2.zeros(5).copy_(a),
                lambda a: a.batch.__setitem__(0, 1),
                lambda a: math.eigh(a),
                lambda a: R2(a),
                lambda a: a.to(dtype=torch.float64),
                lambda a: a.tolist(),
                lambda a: math.expm(a),
                lambda a: a.det(),
                lambda a: a.contiguous(),
                lambda a: SR2.zeros_like(a),
                bool,
            ):
                try:
                    use(SR2(k))
                except Exception as e:
                    assert not isinstance(e, SystemError)
        """,
    "fakes": """
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            t = torch.rand(100000, 6)
        a = SR2(t)
        for use in (
            lambda: a.norm(),
            lambda: a + a,
            lambda: SSR4.zeros() * a,
            lambda: a.dev(),
            lambda: SR2(torch.rand(6)) + a,
            lambda: repr(a),
            lambda: str(a),
            lambda: a.numpy(),
            lambda: a.tolist(),
            lambda: a.batch[0],
            lambda: math.eigh(a),
        ):
            try:
                use()
            except Exception:
                pass
        """,
    "tensors that leave a transform": """
        kept = []
        torch.func.vmap(lambda t: (kept.append(SR2(t)), t)[1])(torch.rand(3, 6))
        torch.func.grad(lambda t: (kept.append(SR2(t)), t.sum())[1])(torch.rand(6))
        torch.func.jvp(lambda t: (kept.append(SR2(t)), t.sum())[1], (torch.rand(6),), (torch.rand(6),))
        for a in kept:
            for use in (
                a.norm,
                a.dev,
                lambda: a + a,
                lambda: repr(a),
                lambda: str(a),
                lambda: a.batch.shape,
                lambda: a.tolist(),
                lambda: SSR4.zeros() * a,
                lambda: copy.deepcopy(a),
                lambda: pickle.dumps(a),
            ):
                try:
                    use()
                except Exception:
                    pass
        """,
    # ---- Arguments ----
    "sizes": """
        big = (2**31, 2**62, 2**63 - 1, 2**63, 10**30, -1, -(2**63), -(10**30))
        for n in big:
            for f in (
                lambda: SR2.zeros(n, 2**40),
                lambda: SR2.zeros(2).batch.expand(n, n),
                lambda: SR2.zeros(2).batch.reshape(n, 3),
                lambda: SR2.zeros(2).batch[n],
                lambda: SR2.zeros(2).batch.size(n),
                lambda: SR2.linspace(SR2.zeros(), SR2.zeros(), n * 2**20),
                lambda: Tensor(torch.rand(3), n),
                lambda: SR2.zeros()(n, 0),
                lambda: R2.zeros().row(n),
                lambda: R2.zeros()(0, n),
                lambda: R4.zeros().transpose(n, 0),
                lambda: R4.zeros()(n, n, n, n),
                lambda: SSR4.zeros()(0, 0, 0, n),
                lambda: Vec.zeros()(n),
                lambda: math.batch_sum(SR2.zeros(2), n),
                lambda: SR2.zeros(2).base.flatten(n, 0),
                lambda: SR2.zeros(2).batch.transpose(n, 0),
            ):
                if n != -1:
                    with raises(Exception):
                        f()
        for n in big:
            with raises(Exception):
                Scalar.zeros(2).batch.unsqueeze(0, n)
            with raises(Exception):
                Tensor.zeros((2,)).base.unsqueeze(0, n)
        SR2.zeros(*[1] * 1000).norm()
        SR2.zeros(*[1] * 60).norm()
        """,
    "lists that change while they are read": """
        class Evil:
            def __init__(self, items):
                self.items = items

            def __index__(self):
                self.items.clear()
                gc.collect()
                return 1


        def evil():
            items = []
            items += [Evil(items), *range(2, 1000)]
            return items


        for f in (
            SR2.zeros,
            SR2.zeros(2).batch.expand,
            SR2.zeros(2).batch.reshape,
            SR2.zeros(2).batch.__getitem__,
            SR2.zeros(2).base.reshape,
            lambda x: SR2.zeros(2).batch[tuple(x)],
            lambda x: SR2.zeros(2).batch[x[0] : 1],
            lambda x: Tensor.zeros(x, x),
            lambda x: math.batch_cat(x),
            lambda x: math.base_sum(Tensor.zeros((2, 3)), x),
        ):
            try:
                f(evil())
            except Exception:
                pass
        """,
    "numbers that change their mind": """
        class Odd(float):
            def __float__(self):
                raise RuntimeError("no number")


        class Index:
            def __index__(self):
                raise RuntimeError("no index")


        import numbers


        class Number(numbers.Number):
            def __float__(self):
                return "x"


        for x in (Odd(1), Index(), Number(), complex(1, 2), 10**400, float("nan"), True):
            for f in (
                lambda: SR2.zeros(2) * x,
                lambda: x * SR2.zeros(2),
                lambda: SR2.zeros(x),
                lambda: SR2.full(x),
                lambda: SR2.zeros(2).batch[x],
                lambda: SR2.zeros(2).batch[x:],
                lambda: SR2.zeros().norm(x),
                lambda: Scalar(x),
                lambda: SR2.fill(x),
                lambda: SR2.zeros() ** x,
                lambda: SR2.zeros(2).batch.__setitem__(0, x),
                lambda: SR2.zeros().fill_(x),
                lambda: SSR4.isotropic_E_nu(x, x),
                lambda: SR2.zeros() < x,
                lambda: SR2.zeros().__iadd__(x),
            ):
                try:
                    f()
                except Exception as e:
                    assert not isinstance(e, SystemError), e
        """,
    "objects that say they are tensors of torch": """
        from unittest.mock import Mock


        class Odd:
            def __init__(self, f):
                self.f = f

            @property
            def __class__(self):
                return self.f()


        for x in (Mock(spec=torch.Tensor), Odd(lambda: torch.Tensor), Odd(lambda: 1 / 0), Odd(lambda: 3)):
            for f in (
                SR2,
                lambda x: Tensor(x, 1),
                lambda x: SR2.zeros(2).batch[x],
                lambda x: SR2.zeros(2).batch.__setitem__(0, x),
                lambda x: SR2.zeros(2) * x,
                lambda x: math.where(x, SR2.zeros(2), 0.0),
                lambda x: math.norm(x),
                lambda x: math.batch_cat([x]),
                lambda x: LabeledVector(x, LabeledAxis().add("a", 6).setup_layout()),
            ):
                with raises(Exception):
                    f(x)
        """,
    "lists in themselves": """
        x = []
        x.append(x)
        for f in (
            SR2.create,
            SR2.zeros,
            lambda x: SR2.zeros(2).batch[x],
            lambda x: SR2.zeros(2).batch[x, x],
            math.batch_cat,
        ):
            with raises(Exception):
                f(x)
        deep = 1
        for _ in range(100000):
            deep = [deep]
        for f in (SR2.create, SR2.zeros, lambda x: SR2.zeros(2).batch[x]):
            with raises(Exception):
                f(deep)
        while isinstance(deep, list):
            deep = deep[0]
        """,
    "any argument of any function": """
        import random

        random.seed(0)
        torch.manual_seed(0)
        good = [
            SR2.rand(2),
            R2.rand(2),
            Vec.rand(2),
            Rot.rand(2),
            Scalar.rand(2),
            SSR4.rand(2),
            R4.rand(),
            Quaternion.rand(2),
            WR2.rand(),
            Tensor.rand((2,), (3, 3)),
            Tensor.rand((2,), (3,)),
            MillerIndex.fill(1, 2, 3),
            SR2.rand(3),
            SR2.rand(0),
            SR2.rand(2, dtype=torch.float32),
            SR2.zeros(2, device="meta"),
            R2.rand(2, requires_grad=True),
        ]
        odd = [
            None,
            "x",
            "",
            10**30,
            -1,
            0,
            1,
            2,
            7,
            2**62,
            -(2**63),
            float("nan"),
            float("inf"),
            1.5,
            [],
            (),
            [1],
            {},
            object(),
            SR2,
            torch.rand(3),
            SR2(),
            Tensor(),
            Scalar(),
            torch.float32,
            torch.device("cpu"),
            True,
            b"x",
            np.ones(3),
            SR2.zeros().batch,
            SR2.__new__(SR2),
            len,
            [SR2.zeros(2)],
            [SR2.zeros(2), Vec.zeros()],
            "432",
            "bunge",
            "radians",
            1j,
            slice(1),
            ...,
        ]
        places = [c for c in vars(tensors).values() if isinstance(c, type) and issubclass(c, TensorBase)]
        places += [math, crystallography, *good, SR2.rand(3, 2).batch, R2.rand(3, 2).base]
        for place in places:
            for name in dir(place):
                if name.startswith("__") and name not in OPERATORS or name in ("picture",):
                    continue
                for k in range(ROUNDS):
                    arguments = [
                        random.choice(good if random.random() < 0.6 else odd)
                        for _ in range(random.choice((0, 1, 1, 2, 2, 3)))
                    ]
                    try:
                        f = getattr(copy.copy(place) if isinstance(place, TensorBase) else place, name)
                        signal.alarm(60)
                        f(*arguments)
                    except Exception as e:
                        assert not isinstance(e, SystemError), (place, name, arguments)
        """.replace(
        "OPERATORS",
        repr(
            [f"__{p}{n}__" for p in ("", "r", "i") for n in ("add", "sub", "mul", "truediv", "pow", "and", "or", "xor")]
            + "__lt__ __le__ __gt__ __ge__ __eq__ __ne__ __neg__ __abs__ __invert__ __call__ __len__".split()
            + "__getitem__ __setitem__ __bool__".split()
            + "__float__ __repr__ __str__ __reduce__ __copy__ __deepcopy__ __array__ __hash__ __pos__".split()
        ),
    ).replace("ROUNDS", "12"),
    # ---- Lifetime ----
    "views without their parents": """
        views = [SR2(torch.rand(100, 6)).batch for _ in range(100)] + [
            R2(torch.rand(100, 3, 3)).base for _ in range(100)
        ]
        parts = [v[0] for v in views]
        gc.collect()
        [torch.rand(100, 6) for _ in range(1000)]
        assert all(len(v.shape) in (1, 2) and torch.isfinite(v[0].torch()).all() for v in views)
        assert all(torch.isfinite(p.torch()).all() for p in parts)
        """,
    "results outlive their operands": """
        r = [SR2(torch.full((100, 6), 2.0)).batch[1:].batch.expand(3, 99).base[:2] for _ in range(100)]
        n = [SR2(torch.full((100, 6), 2.0)).numpy() for _ in range(100)]
        gc.collect()
        [torch.rand(100, 6) for _ in range(1000)]
        assert all((x.torch() == 2).all() for x in r) and all((x == 2).all() for x in n)
        """,
    "tensors of a finished thread": """
        import threading

        kept = []


        def work():
            a = SR2(torch.rand(100, 6).requires_grad_())
            kept.extend([a, a.dev(), a.batch])


        for _ in range(20):
            t = threading.Thread(target=work)
            t.start()
            t.join()
        [x.norm() for x in kept if isinstance(x, SR2)]
        kept[1].norm().torch().sum().backward()
        assert kept[0].grad is not None
        """,
    "threads that share and write": """
        import threading

        a, c = SR2.zeros(1000), SSR4.zeros()


        def work():
            global a
            for k in range(200):
                b = a + 1
                a += 1
                (c * a).norm()
                v = a.batch
                v[k] = 2
                a = SR2.zeros(1000) if k % 50 == 0 else a


        threads = [threading.Thread(target=work) for _ in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        """,
    "hooks that use their tensor": """
        a = SR2(torch.rand(4, 6).requires_grad_())
        b = a.dev()


        def hook(g):
            global b
            b = None
            gc.collect()
            return (SR2(g) * 2).torch()


        b.torch().register_hook(hook)
        b.norm().torch().sum().backward()
        assert a.grad is not None
        """,
    "damaged pickles": """
        data = pickle.dumps(SR2.rand(2))
        for k in range(0, len(data), 3):
            try:
                x = pickle.loads(data[:k])
            except Exception:
                continue
            repr(x)
        import copyreg

        for x in (copyreg.__newobj__(SR2), SR2.__new__(SR2)):
            with raises(TypeError):
                x.norm()
        for arguments in (("x",), (torch.rand(3),), (None,), (torch.rand(6), 1, 2)):

            class Bad:
                def __reduce__(self):
                    return SR2, arguments

            with raises(TypeError, ValueError):
                pickle.loads(pickle.dumps(Bad.__reduce__(None)[0](*arguments)))
        """,
    "deleted modules": """
        a = SR2.rand(2)
        for name in [n for n in sys.modules if n.startswith("neml2")]:
            del sys.modules[name]
        b = (a + a).dev()
        assert repr(b).startswith("<SR2 of shape [2][6]:")
        """,
}


@pytest.fixture(scope="module")
def outcomes():
    programs = {name: textwrap.dedent(p) for name, p in PROGRAMS.items()}
    r = run(DRIVER, input=json.dumps(programs), timeout=900)
    assert r.returncode == 0, r.stderr
    return {name: (status, log) for name, status, log in map(json.loads, r.stdout.splitlines())}


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_program_ends_the_interpreter(outcomes, name):
    status, log = outcomes[name]
    assert status == 0, log


# ---- Messages ----


@pytest.mark.parametrize(
    "use, error, message",
    [
        (lambda: SR2.zeros(2) + SR2.zeros(3), ValueError, r"\+.*\[2\].*\[3\]"),
        (lambda: SSR4.zeros(2) * SR2.zeros(3), ValueError, r"SSR4 \* SR2.*\[2\].*\[3\]"),
        (lambda: SR2.zeros(2).inner(SR2.zeros(3)), ValueError, r"inner.*\[2\].*\[3\]"),
        (lambda: SR2.zeros().inner(SR2.zeros(dtype=torch.float32)), ValueError, r"inner.*dtype"),
        (lambda: SR2.zeros() + SR2.zeros(device="meta"), ValueError, r"\+.*meta"),
        (lambda: SR2().norm(), ValueError, r"norm.*undefined"),
        (lambda: SR2(torch.rand(5)), ValueError, r"SR2.*\[6\].*\[5\]|SR2.*\[5\].*\[6\]"),
        (lambda: SR2.zeros(2).dev().norm("x"), TypeError, r"norm\(self, epsilon: float"),
        (lambda: SR2.zeros(2).inner(Vec.zeros(2)), TypeError, r"SR2.*Vec"),
        (lambda: SR2.zeros(2).rotate(1.0), TypeError, r"rotate\(self, "),
        (lambda: SR2([1, 2, 3, 4, 5, 6]), TypeError, r"SR2.create"),
        (lambda: Tensor(torch.rand(2, 3)), TypeError, r"batch_dim"),
        (lambda: SR2.zeros(2).batch[2], IndexError, r"2"),
        (lambda: SR2.zeros(2)(3, 0), (ValueError, IndexError), r"3"),
        (lambda: SR2.zeros("2"), TypeError, r"shape"),
        (lambda: SR2.zeros(2).nrom(), AttributeError, r"nrom"),
        (lambda: SR2.zeros(-1), (ValueError, RuntimeError), r"-1"),
        (lambda: Rot.fill_euler_angles(Vec.zeros(), "x", "radians"), ValueError, r"x"),
        (lambda: bool(SR2.zeros(2)), ValueError, r"bool.*\(2; 6\).*12 values"),
        (lambda: Scalar.zeros(2).item(), (ValueError, RuntimeError), r"2"),
        (lambda: R2.zeros(2, dtype=torch.int64).inverse(), ValueError, r"dtype"),
    ],
)
def test_messages_name_the_operation_and_the_values(use, error, message):
    with pytest.raises(error, match=message) as e:
        use()
    text = str(e.value)
    assert "Exception raised from" not in text and "std::" not in text and "c10::" not in text
    assert "nanobind" not in text and not of_cpp(text)


AXIS = LabeledAxis().add("a", SR2).setup_layout()


@pytest.mark.parametrize(
    "use",
    [
        lambda: SR2.zeros(2)(3, 0),
        lambda: SR2.zeros(2)(9, 9),
        lambda: SSR4.zeros()(0, 0, 0, 3),
        lambda: WR2.zeros()(0, 3),
        lambda: Vec.zeros()(5),
        lambda: R2.zeros().row(5),
        lambda: R2.zeros().col(-4),
        lambda: math.batch_sum(SR2.zeros(2), 9),
        lambda: math.batch_sum(SR2.zeros(), 0),
        lambda: math.base_sum(Tensor.zeros((2,), (3,)), 4),
        lambda: math.batch_cat([SR2.zeros(2)] * 2, 5),
        lambda: math.batch_diff(SR2.zeros(2), 1, 5),
        lambda: math.mandel_factor(7),
        lambda: SR2.linspace(SR2.zeros(2), SR2.zeros(2), 3, 7),
        lambda: SR2.zeros(2).batch.size(2),
        lambda: SR2.zeros(2).batch.transpose(0, 3),
        lambda: SR2.zeros(2).base[7],
        lambda: SR2.zeros(2).batch[..., ..., 0],
        lambda: LabeledVector.zeros(2, AXIS).axis(1),
        lambda: LabeledVector.zeros(2, AXIS).batch[2],
        lambda: AXIS.variable_names()[0][3],
    ],
)
def test_what_is_not_there_is_an_index_error(use):
    with pytest.raises(IndexError) as e:
        use()
    assert not of_cpp(str(e.value))


@pytest.mark.parametrize(
    "use",
    [
        lambda: SR2.zeros(3).batch.__setitem__(0, torch.zeros(5)),
        lambda: SR2.zeros(3).base.__setitem__(0, torch.zeros(5)),
        lambda: SR2.zeros(3).batch.__setitem__(slice(1), SR2.zeros(7)),
        lambda: LabeledVector.zeros(2, AXIS).batch.__setitem__(0, torch.zeros(5)),
        lambda: LabeledVector.zeros(2, AXIS).base.__setitem__("a", torch.zeros(5)),
        lambda: SR2.zeros(3).batch.squeeze(0),
    ],
)
def test_a_wrong_shape_is_a_value_error(use):
    with pytest.raises(ValueError) as e:
        use()
    assert not of_cpp(str(e.value))


def test_what_a_rotation_is_not_made_from_is_told_with_what_makes_it():
    with pytest.raises(TypeError, match=r"Rot\.fill_matrix\(R\)"):
        Rot(R2.identity())
    with pytest.raises(TypeError, match=r"q\.to_rot\(\)"):
        Rot(Quaternion.identity())


@pytest.mark.parametrize(
    "use",
    [
        lambda: AXIS.variable_size("x"),
        lambda: AXIS.subaxis("x"),
        lambda: AXIS.range("x"),
        lambda: LabeledVector.zeros(2, AXIS).base["x"],
        lambda: LabeledVector.zeros(2, AXIS).slice("x"),
        lambda: LabeledVector.zeros(2, AXIS).base.__setitem__("x", 1.0),
        lambda: LabeledVector.assemble(AXIS, {"x": SR2.zeros()}),
    ],
)
def test_a_label_that_is_not_there_is_a_key_error(use):
    with pytest.raises(KeyError, match="no .* 'x'. Its variables are: a"):
        use()


def test_a_singular_matrix_is_torchs_error():
    A = Tensor.zeros((2,), (3, 3))
    for use in (lambda: math.solve(A, A, check_errors=True), lambda: math.lu_factor(A)):
        with pytest.raises(torch.linalg.LinAlgError):
            use()


@pytest.mark.parametrize(
    "use, operands",
    [
        (lambda: SR2.zeros(5).batch[0, 0], r"SR2 \(5; 6\)"),
        (lambda: SR2.zeros(5) ** SR2.zeros(4), r"SR2 \(5; 6\) and SR2 \(4; 6\)"),
        (lambda: math.batch_sum(SR2.zeros(5), 3), r"SR2 \(5; 6\)"),
        (lambda: math.maximum(Vec.zeros(5), Vec.zeros(4)), r"Vec \(5; 3\) and Vec \(4; 3\)"),
        (lambda: math.bmm(R2.zeros(5), R2.zeros(4)), r"R2 \(5; 3, 3\) and R2 \(4; 3, 3\)"),
        (lambda: math.inner(SR2.zeros(5), Scalar.zeros(5)), r"SR2 and Scalar"),
        (lambda: SR2.zeros(5).copy_(SR2.zeros(4)), r"SR2 \(5; 6\)"),
        (lambda: SR2.zeros(5).__iadd__(SR2.zeros(4)), r"SR2 \(5; 6\)"),
        (lambda: math.batch_cat([Rot.zeros(2, 3), Rot.zeros(2, 4)]), r"Rot \(2, 3; 3\)"),
        (lambda: math.solve(R2.zeros(2), Vec.zeros(3)), r"R2 \(2; 3, 3\) and Vec \(3; 3\)"),
        (lambda: SR2().clone(), r"of type SR2"),
        (lambda: math.jacrev(SR2.zeros(3), SR2.zeros(2)), r"SR2"),
        (lambda: Tensor.zeros((5,), (2,)).batch[0, 0], r"Tensor \(5; 2\)"),
    ],
)
def test_messages_name_operands_by_their_types(use, operands):
    with pytest.raises((ValueError, IndexError, TypeError), match=operands) as e:
        use()
    assert "operands are Tensor" not in str(e.value) and not of_cpp(str(e.value))


def test_jacrev_of_what_was_computed_without_grad_says_so():
    s = SR2.rand(2)
    for f in (lambda: math.jacrev(math.norm(s), s), lambda: math.jacrev(math.norm(s), [s]), lambda: math.jacrev(math.norm(s), [])):
        with pytest.raises(ValueError, match=r"jacrev: y, Scalar \(2;\), was not computed from .*requires_grad_\(\)"):
            f()
    x = SR2.rand(2, requires_grad=True)
    with torch.no_grad():
        y = math.norm(x)
    with pytest.raises(ValueError, match="no_grad"):
        math.jacrev(y, x)


@pytest.mark.parametrize(
    "use",
    [
        lambda t: math.dev(t),
        lambda t: math.norm(t),
        lambda t: math.batch_sum(t, 0),
        lambda t: math.batch_stack([SR2(t), t]),
        lambda t: SSR4.isotropic_E_nu(t, t),
        lambda t: SR2(t).inner(t),
        lambda t: SR2(t).rotate(t),
        lambda t: LabeledVector(t[0], AXIS).copy_(t),
    ],
)
def test_a_torch_tensor_for_one_of_this_library_is_refused_with_a_hint(use):
    with pytest.raises(TypeError, match=r"torch.Tensor.*SR2\(t\)") as e:
        use(torch.rand(2, 6))
    assert "arguments" in str(e.value)  # and still says what the function takes


def test_other_wrong_arguments_get_no_such_hint():
    for use in (lambda: math.dev("x"), lambda: SR2(torch.rand(6), 1), lambda: SR2.zeros().norm("x")):
        with pytest.raises(TypeError) as e:
            use()
        assert "batch dimensions: make" not in str(e.value)


# ---- Objects without __init__ ----

NOT_OF_OBJECTS = {"__init__", "__new__", "__setstate__", "__init_subclass__", "__hash__", "__class_getitem__"}
CLASSES = [c for c in vars(tensors).values() if isinstance(c, type)]
CLASSES += [c for place in CLASSES for c in vars(place).values() if isinstance(c, type) and c.__module__.startswith("neml2")]


@pytest.mark.filterwarnings("ignore:nanobind:RuntimeWarning")
@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__qualname__)
def test_what_has_not_been_initialized_says_so(cls):
    ours = [c for c in cls.__mro__ if c.__module__.startswith("neml2")]
    members = {n: m for c in reversed(ours) for n, m in vars(c).items() if callable(m) or isinstance(m, property)}
    said = 0
    for member in sorted(members.keys() - NOT_OF_OBJECTS):
        if isinstance(vars(next(c for c in cls.__mro__ if member in vars(c)))[member], (staticmethod, type)):
            continue
        if type(getattr(cls, member)).__name__ == "nb_func" and type(members[member]).__name__ == "nb_func":
            continue  # static
        for arguments in ((), (1,), (SR2.zeros(),), ("a",), (1, 1)):
            a = cls.__new__(cls)
            try:
                f = getattr(a, member)
                if not callable(f) or f(*arguments) is NotImplemented:
                    continue
            except TypeError as e:
                assert "bad_cast" not in str(e)
                said += "not been initialized" in str(e)
            except Exception as e:
                raise AssertionError(f"{member}{arguments}: {type(e).__name__}: {e}")
            else:
                raise AssertionError(f"{member}{arguments} of nothing")
    assert said or cls is tensors.TensorBase


def test_a_derived_class_that_forgets_its_base_is_told_so():
    class Stress(SR2):
        def __init__(self):
            self.unit = "MPa"

    with pytest.raises(TypeError, match=r"not been initialized.*super\(\).__init__|__init__"):
        Stress().norm()
    with pytest.raises(TypeError, match="zero_: this .*LabeledVector has not been initialized"):
        LabeledVector.__new__(LabeledVector).zero_()
    with pytest.raises(TypeError, match="this .*SR2 has not been initialized"):
        SR2.zeros().inner(SR2.__new__(SR2))
