//! What is known about a process from all its runs.

use crate::determinism_check::Print;
use crate::machine::Root;
use crate::pattern::Pattern;
use crate::task::mute;
use plainsong_explore::Tid;
use std::any::TypeId;
use std::cell::{Cell, Ref, RefCell};
use std::panic::Location;
use std::rc::Rc;

/// The code of a process.
pub(crate) enum Body {
    /// The first process: can start any number of times.
    Root(Root),
    /// Used up when it runs.
    Child(Box<dyn FnOnce()>),
}

impl Body {
    pub(crate) fn run(self) {
        match self {
            Body::Root(root) => {
                crate::monitor::start();
                root();
            }
            Body::Child(code) => code(),
        }
    }
}

/// Drops something of the user's that is not needed; its destructor may call operations, which do
/// nothing.
pub(crate) fn discard<T>(unused: T) {
    if std::mem::needs_drop::<T>() {
        let _muted = mute();
        drop(unused);
    }
}

/// What all runs of a process share.
#[derive(Default)]
pub(crate) struct Record {
    /// Fingerprints of the operations it is known to perform.
    pub(crate) prints: RefCell<Vec<Print>>,
    /// Those from here on are perhaps not of what it does now.
    pub(crate) doubtful_from: Cell<Option<usize>>,
    /// The children that it has spawned, oldest first.
    children: RefCell<Vec<Child>>,
    /// Patterns of receives by type alone, by place and type.
    patterns: RefCell<Vec<(&'static Location<'static>, TypeId, Rc<Pattern>)>>,
}

struct Child {
    /// Which operation of the parent spawned it.
    spawned_at: u32,
    name: Option<(Rc<str>, u32)>,
    /// Fresh code for its next run.
    code: Option<Box<dyn FnOnce()>>,
    /// Its number, if it has run.
    process: Option<Tid>,
}

impl Record {
    /// The fingerprints of what it surely does.
    pub(crate) fn sure_prints(&self) -> Ref<'_, [Print]> {
        Ref::map(self.prints.borrow(), |prints| {
            let sure = self.doubtful_from.get().unwrap_or(prints.len());
            &prints[..sure.min(prints.len())]
        })
    }

    /// The pattern of a receive by type alone: the same each time.
    pub(crate) fn pattern(
        &self,
        location: &'static Location<'static>,
        of_type: TypeId,
        make: impl FnOnce() -> Pattern,
    ) -> Rc<Pattern> {
        let mut patterns = self.patterns.borrow_mut();
        let known = patterns
            .iter()
            .find(|known| std::ptr::eq(known.0, location) && known.1 == of_type);
        if let Some(known) = known {
            return Rc::clone(&known.2);
        }
        let pattern = Rc::new(make());
        patterns.push((location, of_type, Rc::clone(&pattern)));
        pattern
    }

    /// Notes that a child was spawned, perhaps again. Its code is kept unless there is some.
    pub(crate) fn spawned<F: FnOnce() + 'static>(
        &self,
        child: u32,
        spawned_at: u32,
        name: Option<&(Rc<str>, u32)>,
        code: F,
    ) {
        let mut children = self.children.borrow_mut();
        match children.get_mut(child as usize) {
            Some(known) => {
                if known.name.as_ref() != name {
                    known.name = name.cloned();
                }
                if known.code.is_none() {
                    known.code = Some(Box::new(code));
                } else {
                    drop(children);
                    discard(code);
                }
            }
            None => children.push(Child {
                spawned_at,
                name: name.cloned(),
                code: Some(Box::new(code)),
                process: None,
            }),
        }
    }

    /// Takes the code of a child, which is now known as `process`.
    pub(crate) fn take_code(&self, child: u32, process: Tid) -> Option<Box<dyn FnOnce()>> {
        let mut children = self.children.borrow_mut();
        let child = children.get_mut(child as usize)?;
        child.process = Some(process);
        child.code.take()
    }

    /// The name that a child was given.
    pub(crate) fn name(&self, child: u32) -> Option<(Rc<str>, u32)> {
        self.children.borrow().get(child as usize)?.name.clone()
    }

    /// Forgets the newest child if it was spawned by an operation from `kept` on; returns its
    /// number if it has run, or none.
    pub(crate) fn drop_child(&self, kept: usize) -> Option<Option<Tid>> {
        let newest = self
            .children
            .borrow_mut()
            .pop_if(|child| child.spawned_at as usize >= kept)?;
        if let Some(code) = newest.code {
            discard(code);
        }
        Some(newest.process)
    }

    /// Was any child spawned by an operation from `kept` on?
    pub(crate) fn has_children_from(&self, kept: usize) -> bool {
        let children = self.children.borrow();
        children
            .last()
            .is_some_and(|newest| newest.spawned_at as usize >= kept)
    }

    /// The children spawned by operations from `kept` on that have run.
    pub(crate) fn children_from(&self, kept: usize) -> Vec<Tid> {
        let children = self.children.borrow();
        let late = children
            .iter()
            .filter(|child| child.spawned_at as usize >= kept);
        late.filter_map(|child| child.process).collect()
    }
}
