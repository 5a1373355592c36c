//! The versions that are used, and what their packages look like.

/// The version of Z3 that answers are reproducible with.
pub const PINNED_Z3: &str = "4.15.4";

/// The version of cvc5 that gives second opinions.
pub const PINNED_CVC5: &str = "1.4.2";

/// A package of the Python package index.
pub(crate) struct Package {
    /// Which one, as `pip` says it.
    pub(crate) requirement: &'static str,
    /// For which machine, if it must be said: `pip` would choose by its own version of Python.
    pub(crate) tags: &'static [&'static str],
    /// The SHA-256 of its file.
    pub(crate) digest: &'static str,
    /// What is taken out of it.
    pub(crate) content: Content,
}

/// What is taken out of a package.
pub(crate) enum Content {
    /// The one member whose name ends so, as a program.
    Program(&'static str),
    /// Every member below this folder, into a folder.
    Folder(&'static str),
}

/// Z3 for this kind of machine; none if there is no package for it.
pub(crate) fn z3() -> Option<Package> {
    let digest = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "7e103a6f203f505b8b8b8e5c931cc407c95b61556512d4921c1ddc0b3f41b08e",
        ("linux", "aarch64") => "62c7e9cbdd711932301f29919ad9158de9b2f58b4d281dd259bbcd0a2f408ba1",
        ("macos", "aarch64") => "407e825cc9211f95ef46bdc8d151bf630e7ab2d62a21d24cd74c09cc5b73f3aa",
        ("macos", "x86_64") => "00bd10c5a6a5f6112d3a9a810d0799227e52f76caa860dafa5e00966bb47eb13",
        ("windows", "x86_64") => "00e35b02632ed085ea8199fb230f6015e6fc40554a6680c097bd5f060e827431",
        _ => return None,
    };
    Some(Package {
        requirement: "z3-solver==4.15.4.0",
        tags: &[],
        digest,
        content: Content::Program(if cfg!(windows) {
            ".data/data/bin/z3.exe"
        } else {
            ".data/data/bin/z3"
        }),
    })
}

/// cvc5 for this kind of machine; none if there is no package for it, or nobody tried it.
pub(crate) fn cvc5() -> Option<Package> {
    let (tags, digest): (&'static [&'static str], _) =
        match (std::env::consts::OS, std::env::consts::ARCH) {
            ("linux", "x86_64") => (
                &["--platform", "manylinux2014_x86_64"],
                "fad09688fd0ee6ef6e8ce81fbf7e2ebaab466bd1b4bd6fefe0dd24ca772d089f",
            ),
            ("linux", "aarch64") => (
                &["--platform", "manylinux2014_aarch64"],
                "900375f5cd4771a7276f1e9f2fcd06899fae5a959e5abfba5d7c5b804f9da597",
            ),
            _ => return None,
        };
    Some(Package {
        requirement: "cvc5==1.4.2",
        tags,
        digest,
        content: Content::Folder("cvc5.libs/"),
    })
}
