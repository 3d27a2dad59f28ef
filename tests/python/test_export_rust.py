"""Exported libraries from Rust: the header's structs as #[repr(C)], linked statically."""

import shutil
import subprocess

import gnomon as gn
import numpy as np
import pytest

PROGRAM = r"""
use std::os::raw::{c_char, c_void};

#[repr(C)]
struct Dims { x_0: i64 }
#[repr(C)]
struct Args { x: *const f32, scale: f64, p: *mut f32, total: *mut f64 }
#[repr(C)]
struct Shapes { p: [i64; 2], workspace: i64 }
#[repr(C)]
#[derive(Default)]
struct Failure { status: i32, check: i32, index: i64, value: i64, bound: i64 }
#[repr(C, align(64))]
struct State { count: f64 }
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

#[link(name = "model", kind = "static")]
extern "C" {
    fn model_start(state: *mut State);
    fn model_plan(dims: *const Dims, args: *const Args, threads: i32, shapes: *mut Shapes,
                  failure: *mut Failure) -> i32;
    fn model_run(dims: *const Dims, args: *const Args, state: *mut State, work: *mut c_void,
                 work_bytes: usize, threads: *const c_void, failure: *mut Failure) -> i32;
    fn model_message(failure: *const Failure, text: *mut c_char, size: usize) -> usize;
}

fn run(x: &[f32], rows: i64, scale: f64, state: &mut State) -> Result<(Vec<f32>, f64), String> {
    let dims = Dims { x_0: rows };
    let mut total = 0.0;
    let mut args = Args { x: x.as_ptr(), scale, p: std::ptr::null_mut(), total: &mut total };
    let mut shapes = Shapes { p: [0; 2], workspace: 0 };
    let mut failure = Failure::default();
    let message = |failure: &Failure| unsafe {
        let mut text = vec![0u8; 200];
        let length = model_message(failure, text.as_mut_ptr() as *mut c_char, text.len());
        text.truncate(length);
        String::from_utf8(text).unwrap()
    };
    unsafe {
        if model_plan(&dims, &args, 1, &mut shapes, &mut failure) != 0 {
            return Err(message(&failure));
        }
        let mut p = vec![0f32; (shapes.p[0] * shapes.p[1]) as usize];
        args.p = p.as_mut_ptr();
        let mut work = vec![Line([0; 64]); shapes.workspace as usize / 64 + 1];
        let memory = work.as_mut_ptr() as *mut c_void;
        if model_run(&dims, &args, state, memory, work.len() * 64, std::ptr::null(), &mut failure)
            != 0 {
            return Err(message(&failure));
        }
        Ok((p, total))
    }
}

fn main() {
    let mut state = State { count: 0.0 };
    unsafe { model_start(&mut state) };
    let x: Vec<f32> = (0..12).map(|i| i as f32 / 8.0).collect();
    let (p, total) = run(&x, 4, 0.5, &mut state).unwrap();
    println!("{:?}", p.iter().map(|v| v.to_bits()).collect::<Vec<u32>>());
    let message = run(&x, -1, 0.5, &mut state).unwrap_err();
    println!("{} {} {}", total.to_bits(), state.count, message);
}
"""


@pytest.mark.skipif(shutil.which("rustc") is None, reason="no rustc")
@pytest.mark.parametrize("level", ["-Copt-level=0", "-Copt-level=3"])
def test_rust_links_and_calls_a_library(tmp_path, level):
    x, scale = gn.tensor("x", shape=(None, 3), dtype="float32"), gn.scalar("scale")
    w = gn.asarray(np.arange(6, dtype="float32").reshape(3, 2))
    count = gn.shared(41.0, "count")
    total = gn.sum(x) * scale + count
    f = gn.function([x, scale], {"p": gn.exp(-x @ w), "total": total}, updates={count: count + 1})
    gn.export(tmp_path / "model", f, kinds=("a",))
    (tmp_path / "main.rs").write_text(PROGRAM)
    build = ["rustc", "--edition=2021", "-Dwarnings", level, "-L.", "main.rs", "-o", "main"]
    subprocess.run(build, cwd=tmp_path, check=True)
    ran = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    bits, rest = ran.stdout.splitlines()
    expected = f(np.arange(12, dtype="float32").reshape(4, 3) / 8, 0.5)
    assert bits == str(np.asarray(expected["p"]).view("uint32").ravel().tolist())
    number, state, message = rest.split(" ", 2)
    assert int(number) == int(np.asarray(expected["total"]).view("uint64"))
    assert (state, message) == ("42", "x_0 is negative")
