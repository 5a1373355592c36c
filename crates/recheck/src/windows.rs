//! Windows: of infinitely many integers, sequences and bags those that an instance tries where any may be chosen.
//!
//! An instance has finitely many starts only because it looks through windows. What is shown of it says nothing about
//! what lies outside, so whoever writes a certificate of an instance names the windows that matter, and whoever checks it
//! looks through the same ones and says so.

use plainsong_certificate::Windows;
use plainsong_ir::Ty;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::Bounds;

/// The windows through which an instance looks.
pub fn windows_of(instance: &Instance) -> Windows {
    let (bound, all) = (instance.bound(), instance.bounds());
    let matters = |name: &str| bound.contains_key(name);
    Windows {
        int: matters("int").then_some(all.int),
        nat: matters("nat").then_some(all.nat),
        length: matters("length").then_some(all.length),
        constants: (matters("int") && !instance.constants_beyond(&Ty::Int).is_empty())
            || (matters("nat") && !instance.constants_beyond(&Ty::Nat).is_empty()),
    }
}

/// The bounds of an instance that looks through some windows.
pub fn bounds_of(windows: &Windows) -> Bounds {
    let usual = Bounds::default();
    Bounds {
        int: windows.int.unwrap_or(usual.int),
        nat: windows.nat.unwrap_or(usual.nat),
        length: windows.length.unwrap_or(usual.length),
        constants: windows.constants,
        external: usual.external,
        pending: None,
    }
}
