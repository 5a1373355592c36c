//! The version that is used, and what its packages look like.

/// The version of Z3 that answers are reproducible with.
pub const PINNED_Z3: &str = "4.15.4";

/// The Python package that carries it.
pub(crate) const Z3_PACKAGE: &str = "z3-solver==4.15.4.0";

/// The program inside the package.
pub(crate) const Z3_MEMBER: &str = if cfg!(windows) {
    ".data/data/bin/z3.exe"
} else {
    ".data/data/bin/z3"
};

/// The SHA-256 of the package for this kind of machine; none if there is no package for it.
pub(crate) fn z3_digest() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => {
            Some("7e103a6f203f505b8b8b8e5c931cc407c95b61556512d4921c1ddc0b3f41b08e")
        }
        ("linux", "aarch64") => {
            Some("62c7e9cbdd711932301f29919ad9158de9b2f58b4d281dd259bbcd0a2f408ba1")
        }
        ("macos", "aarch64") => {
            Some("407e825cc9211f95ef46bdc8d151bf630e7ab2d62a21d24cd74c09cc5b73f3aa")
        }
        ("macos", "x86_64") => {
            Some("00bd10c5a6a5f6112d3a9a810d0799227e52f76caa860dafa5e00966bb47eb13")
        }
        ("windows", "x86_64") => {
            Some("00e35b02632ed085ea8199fb230f6015e6fc40554a6680c097bd5f060e827431")
        }
        _ => None,
    }
}
