//! The C interface of cvc5's parser library. The only `unsafe` of this crate.
//!
//! Why it is sound, as far as a foreign library can be.
//!
//! - *Types.* The eight functions are declared as the header of version 1.4.2 has them; the libraries
//!   come from one package whose digest was checked, so the version is that one. Handles are opaque
//!   pointers that only the library looks into.
//! - *Lifetimes.* Handles are made once, in the order in which they depend on each other, and never
//!   freed: the process serves one query and ends. The loaded library is kept beside them.
//! - *Strings.* What goes in is a `CString` that lives through the call. What comes out belongs to the
//!   library until the next call, so it is copied at once.
//! - *Threads.* The type holds raw pointers, so it stays on the thread that made it.
//!
//! Errors of use end the process with a message; the other end of the pipe sees a crash, which is
//! never a verdict.

#![expect(unsafe_code, reason = "functions of a C library are called")]

use libloading::{Library as Dynamic, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr;

type Handle = *mut c_void;
type MakeFirst = unsafe extern "C" fn() -> Handle;
type MakeFromOne = unsafe extern "C" fn(Handle) -> Handle;
type MakeFromTwo = unsafe extern "C" fn(Handle, Handle) -> Handle;
type Begin = unsafe extern "C" fn(Handle, c_int, *const c_char);
type Append = unsafe extern "C" fn(Handle, *const c_char);
type Next = unsafe extern "C" fn(Handle, *mut *const c_char) -> Handle;
type Invoke = unsafe extern "C" fn(Handle, Handle, Handle) -> *const c_char;

/// The first of the library's input languages: SMT-LIB 2.6.
const SMT_LIB: c_int = 0;

/// The loaded library with one solver in it.
pub(crate) struct Library {
    solver: Handle,
    symbols: Handle,
    parser: Handle,
    append: Append,
    next: Next,
    invoke: Invoke,
    _core: Dynamic,
    _front: Dynamic,
}

impl Library {
    /// Loads the libraries of a folder.
    pub(crate) fn load(folder: &Path) -> Result<Library, String> {
        let core = open(&find(folder, "libcvc5-")?)?;
        let front = open(&find(folder, "libcvc5parser-")?)?;
        let terms: MakeFirst = function(&core, c"cvc5_term_manager_new")?;
        let solver: MakeFromOne = function(&core, c"cvc5_new")?;
        let symbols: MakeFromOne = function(&front, c"cvc5_symbol_manager_new")?;
        let parser: MakeFromTwo = function(&front, c"cvc5_parser_new")?;
        let begin: Begin = function(&front, c"cvc5_parser_set_inc_str_input")?;
        // SAFETY: types and order as the module says; each handle is used with its own kind.
        let (solver, symbols, parser) = unsafe {
            let terms = terms();
            let (solver, symbols) = (solver(terms), symbols(terms));
            let parser = parser(solver, symbols);
            begin(parser, SMT_LIB, c"query".as_ptr());
            (solver, symbols, parser)
        };
        Ok(Library {
            solver,
            symbols,
            parser,
            append: function(&front, c"cvc5_parser_append_inc_str_input")?,
            next: function(&front, c"cvc5_parser_next_command")?,
            invoke: function(&front, c"cvc5_cmd_invoke")?,
            _core: core,
            _front: front,
        })
    }

    /// Executes one command and gives its answer. The text must hold exactly one; after an error the
    /// parser is in the middle of it and of no use any more.
    pub(crate) fn command(&mut self, text: &str) -> Result<String, String> {
        let text = CString::new(format!("{text}\n")).map_err(|_| "a zero byte".to_owned())?;
        let mut error = ptr::null();
        // SAFETY: the handles are alive, `text` outlives the calls, `error` is a place for a pointer,
        // and the command is used before the parser is called again.
        unsafe {
            (self.append)(self.parser, text.as_ptr());
            let command = (self.next)(self.parser, &raw mut error);
            if !error.is_null() {
                return Err(copied(error));
            }
            if command.is_null() {
                return Err("this is not a command".to_owned());
            }
            Ok(copied((self.invoke)(command, self.solver, self.symbols)))
        }
    }
}

/// # Safety
/// `text` is null or a C string that stays as it is during the call.
unsafe fn copied(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and the caller promises the rest.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

fn open(file: &Path) -> Result<Dynamic, String> {
    // SAFETY: its initialisers are those of the package whose digest was checked.
    unsafe { Dynamic::new(file) }.map_err(|error| error.to_string())
}

fn function<T: Copy>(library: &Dynamic, name: &CStr) -> Result<T, String> {
    // SAFETY: each use in this file names the function's type as its header has it.
    let symbol: Result<Symbol<'_, T>, _> = unsafe { library.get(name) };
    symbol
        .map(|symbol| *symbol)
        .map_err(|error| error.to_string())
}

fn find(folder: &Path, prefix: &str) -> Result<PathBuf, String> {
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(said)? {
        let entry = entry.map_err(said)?;
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            return Ok(entry.path());
        }
    }
    Err(format!("{}: there is no {prefix}", folder.display()))
}
