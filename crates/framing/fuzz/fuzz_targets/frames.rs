//! Any bytes, cut anywhere: the same frames, the same error, and never more memory than the limits.

#![no_main]

#[path = "../check.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check(data));
