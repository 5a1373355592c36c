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
    /// The SHA-256 of what is taken out of it: see `intact.rs`.
    pub(crate) taken: &'static str,
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
    let (digest, taken) = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => (
            "7e103a6f203f505b8b8b8e5c931cc407c95b61556512d4921c1ddc0b3f41b08e",
            "1bfaf5bbe81fd0b7800500ee08eef426aaabe18f8b9c4c4c32adffcd72f86cd5",
        ),
        ("linux", "aarch64") => (
            "62c7e9cbdd711932301f29919ad9158de9b2f58b4d281dd259bbcd0a2f408ba1",
            "bbea82f99718e57d939db27db7a6e3afb2dfdee4bd11dd0858e5cfefbdf80fa1",
        ),
        ("macos", "aarch64") => (
            "407e825cc9211f95ef46bdc8d151bf630e7ab2d62a21d24cd74c09cc5b73f3aa",
            "2f4cc81460f49c8c9b8d4851df08282450ce223a961f20d35b3a036b2584ad88",
        ),
        ("macos", "x86_64") => (
            "00bd10c5a6a5f6112d3a9a810d0799227e52f76caa860dafa5e00966bb47eb13",
            "352375790c75b7cabda6b92b0721dd0fc95613d6a86afd949e1c6559eaada3ab",
        ),
        ("windows", "x86_64") => (
            "00e35b02632ed085ea8199fb230f6015e6fc40554a6680c097bd5f060e827431",
            "7216cbdf7160d014a8f7032af033a17512448199cf4f464c09302d8869c2288d",
        ),
        _ => return None,
    };
    Some(Package {
        requirement: "z3-solver==4.15.4.0",
        tags: &[],
        digest,
        taken,
        content: Content::Program(if cfg!(windows) {
            ".data/data/bin/z3.exe"
        } else {
            ".data/data/bin/z3"
        }),
    })
}

/// cvc5 for this kind of machine; none if there is no package for it, or nobody tried it.
pub(crate) fn cvc5() -> Option<Package> {
    let (tags, digest, taken): (&'static [&'static str], _, _) =
        match (std::env::consts::OS, std::env::consts::ARCH) {
            ("linux", "x86_64") => (
                &["--platform", "manylinux2014_x86_64"],
                "fad09688fd0ee6ef6e8ce81fbf7e2ebaab466bd1b4bd6fefe0dd24ca772d089f",
                "664cbbc0eb005573e609f44dfd96768d78359810c5ab3db67f4b72561f7f7466",
            ),
            ("linux", "aarch64") => (
                &["--platform", "manylinux2014_aarch64"],
                "900375f5cd4771a7276f1e9f2fcd06899fae5a959e5abfba5d7c5b804f9da597",
                "afed5711611a78d4bc83f2422e7442f1362b0d0913a1a03e35a4c94c4c217fb0",
            ),
            _ => return None,
        };
    Some(Package {
        requirement: "cvc5==1.4.2",
        tags,
        digest,
        taken,
        content: Content::Folder("cvc5.libs/"),
    })
}
