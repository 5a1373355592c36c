//! What external functions return, call by call.
//!
//! Of an external function only the contract is known. Whoever looks at every execution looks at every outcome: a run
//! that comes to a call about which nothing is decided notes the call and stops there ([`Outcomes::asked`]); then the
//! instance becomes several, one for each result that is tried ([`split`]), and each is run from the beginning.
//!
//! Statement. Let no instance that is left have a run that asks. Then every run of every implementation whose results
//! are among those that are tried is a run of exactly one of these instances, and whatever is decided in one of them is
//! asked for by some run of it. (Each way to start is an instance of its own, too: what one asks for is no business of
//! the others.)
//!
//! Why. An implementation is a function, so it decides each call in one way, and of the instances that a split
//! makes it follows one; the others have no run of it. What a run asks for depends on what was decided before, and that
//! stays decided: the run that asked asks in each of the instances, too. So instances differ in what runs see, and
//! which call is split first makes no difference.
//!
//! What is tried. Every value of the result's type within the bounds that the contract allows; of numbers, where
//! none is, the one nearest to zero that it allows. A refutation is one of an implementation that returns what its
//! instance says, and any other allowed value where nothing is said.

use crate::eval::{Eval, call_told};
use crate::instance::Instance;
use crate::machine::{Form, Machine, Outcome};
use crate::read::Reader;
use crate::show::show;
use crate::sizes::{Bounds, External};
use crate::value::Value;
use crate::world::Nothing;
use plainsong_ir::{FnId, Function, Song};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// A call: the function and its arguments.
pub type Call = (FnId, Vec<Value>);

/// The most instances that one becomes at once.
const MOST_AT_ONCE: usize = 10_000;

/// How many calls may wait for each other.
const DEEPEST: usize = 1_000;

/// What is decided about calls, and what was asked for besides.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    known: Arc<BTreeMap<Call, Value>>,
    asked: Arc<Mutex<BTreeSet<Call>>>,
}

/// What was asked is not part of it.
impl PartialEq for Outcomes {
    fn eq(&self, other: &Self) -> bool {
        self.known == other.known
    }
}

impl Eq for Outcomes {}

impl Outcomes {
    /// These, and nothing asked for.
    pub fn new(known: BTreeMap<Call, Value>) -> Self {
        Outcomes {
            known: Arc::new(known),
            asked: Arc::default(),
        }
    }

    /// The calls that runs came to and that nothing is decided about.
    pub fn asked(&self) -> BTreeSet<Call> {
        let asked = self.asked.lock();
        asked.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What a call returns; if that is not decided, it is asked for.
    pub(crate) fn of(&self, function: FnId, arguments: &[Value]) -> Option<Value> {
        let call = (function, arguments.to_vec());
        let known = self.known.get(&call);
        if known.is_none() {
            let asked = self.asked.lock();
            asked.unwrap_or_else(PoisonError::into_inner).insert(call);
        }
        known.cloned()
    }
}

/// The same instance, with nothing decided yet about external functions; as it is, if there are none or it is said
/// otherwise what they return.
#[must_use]
pub fn undecided(instance: Instance) -> Instance {
    let has_external = instance.song().functions.iter().any(Function::is_external);
    match (has_external, &instance.bounds().external) {
        (true, External::Refused) => decided(&instance, BTreeMap::new()),
        _ => instance,
    }
}

fn decided(instance: &Instance, known: BTreeMap<Call, Value>) -> Instance {
    instance.with_bounds(Bounds {
        external: External::Listed(Outcomes::new(known)),
        ..instance.bounds().clone()
    })
}

/// Is it decided call by call what external functions return?
pub fn is_split(instance: &Instance) -> bool {
    matches!(&instance.bounds().external, External::Listed(_))
}

/// The instances in which what runs of this one asked for is decided, in ascending order; nothing if they asked for
/// nothing.
///
/// # Errors
///
/// When there are too many, or more than `most`, or no result can be found that a contract allows.
pub fn split(machine: &Machine, most: u64) -> Result<Option<Vec<Instance>>, String> {
    let instance = machine.instance();
    let External::Listed(outcomes) = &instance.bounds().external else {
        return Ok(None);
    };
    let asked = outcomes.asked();
    if asked.is_empty() {
        return Ok(None);
    }
    if let Some(ways) = by_starts(machine) {
        return Ok(Some(ways));
    }
    let most = usize::try_from(most).map_or(MOST_AT_ONCE, |most| most.min(MOST_AT_ONCE));
    let mut all = Vec::new();
    let mut open = vec![OutcomeChoice {
        known: (*outcomes.known).clone(),
        calls: asked.into_iter().rev().collect(),
    }];
    while let Some(mut one) = open.pop() {
        match one.calls.pop() {
            None => all.push(decided(instance, one.known)),
            Some(call) => one.decide(instance, call, &mut open)?,
        }
        if all.len() + open.len() > most {
            return Err(
                "there are too many outcomes of external functions within the bounds".to_owned(),
            );
        }
    }
    Ok(Some(all))
}

/// An instance for each way to start, if there are several and they are known.
fn by_starts(machine: &Machine) -> Option<Vec<Instance>> {
    let instance = machine.instance();
    // Searches of action systems begin in their own way, with all of them.
    if instance.start().is_some() || matches!(machine.form, Form::Actions(_)) {
        return None;
    }
    let starts = machine.initial();
    let fails = |start: &Outcome| matches!(start, Outcome::Failed(..));
    if starts.len() < 2 || starts.iter().any(fails) {
        return None;
    }
    let External::Listed(outcomes) = &instance.bounds().external else {
        return None;
    };
    // Nothing is asked for yet of each of them.
    let fresh = || decided(instance, (*outcomes.known).clone());
    let ways = (0..starts.len()).map(|at| fresh().with_start(at));
    Some(ways.collect())
}

/// Outcomes on the way to an instance.
struct OutcomeChoice {
    known: BTreeMap<Call, Value>,
    /// What is to be decided, the last first.
    calls: Vec<Call>,
}

impl OutcomeChoice {
    /// Decides a call in every way, the least result on top.
    fn decide(
        mut self,
        instance: &Instance,
        call: Call,
        open: &mut Vec<OutcomeChoice>,
    ) -> Result<(), String> {
        if self.known.contains_key(&call) {
            open.push(self);
            return Ok(());
        }
        let here = decided(instance, self.known.clone());
        let function = &instance.song().functions[call.0.index()];
        let allowed = Eval::new(&here, &Nothing).allowed(function, &call.1);
        let asked = match &here.bounds().external {
            External::Listed(outcomes) => outcomes.asked(),
            _ => BTreeSet::new(),
        };
        if !asked.is_empty() {
            // Its contract speaks of other calls: these first.
            if self.calls.len() > DEEPEST || asked.contains(&call) {
                let name = &function.name;
                return Err(format!(
                    "what `{name}` may return depends on itself without end"
                ));
            }
            self.calls.push(call);
            self.calls.extend(asked);
            open.push(self);
            return Ok(());
        }
        let allowed = allowed.map_err(|failure| failure.message)?;
        for result in allowed.into_iter().rev() {
            let mut known = self.known.clone();
            known.insert(call.clone(), result);
            let calls = self.calls.clone();
            open.push(OutcomeChoice { known, calls });
        }
        Ok(())
    }
}

/// Arguments that a function may be called with and for which no result is found that its contract allows, with the call
/// as it stands in the text. Only so many arguments are tried. Of numbers, results far away are not.
pub fn call_without_result(
    instance: &Instance,
    function: FnId,
    most: usize,
) -> Option<(Vec<Value>, String)> {
    let decl = &instance.song().functions[function.index()];
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    for parameter in &decl.locals[..decl.arity] {
        let values = instance.candidates(&parameter.ty).ok()?;
        let longer = all.iter().flat_map(|before| {
            let with = |value: &Value| [&before[..], std::slice::from_ref(value)].concat();
            values.iter().map(with)
        });
        all = longer.take(most).collect();
    }
    let found = all.into_iter().find(|arguments| {
        let here = decided(instance, BTreeMap::new());
        Eval::new(&here, &Nothing).is_left_alone(decl, arguments)
    })?;
    let told = call_told(instance, decl, &found);
    Some((found, told))
}

/// What is decided, for people and for saved executions: `price(1, 2) = 3, digest([]) = 0`.
pub(crate) fn told(instance: &Instance) -> String {
    let each = each_told(instance).into_iter();
    let all: Vec<String> = each
        .map(|(call, result)| format!("{call} = {result}"))
        .collect();
    all.join(", ")
}

/// Each call about which something is decided, and its result.
pub(crate) fn each_told(instance: &Instance) -> Vec<(String, String)> {
    let External::Listed(outcomes) = &instance.bounds().external else {
        return Vec::new();
    };
    let one = |((function, arguments), result): (&Call, &Value)| {
        let function = &instance.song().functions[function.index()];
        let call = call_told(instance, function, arguments);
        (call, show(instance, result, &function.result))
    };
    outcomes.known.iter().map(one).collect()
}

/// The instance in which calls have the outcomes that a text [tells](told).
///
/// # Errors
///
/// When the text does not fit the song.
pub fn with_told(instance: &Instance, text: &str) -> Result<Instance, String> {
    let mut reader = Reader {
        instance,
        rest: text,
    };
    let mut known = BTreeMap::new();
    while !reader.is_at_end() {
        if !known.is_empty() {
            reader.sign(",")?;
        }
        let (call, result) = outcome(&mut reader, instance.song())?;
        known.insert(call, result);
    }
    Ok(decided(instance, known))
}

fn outcome(reader: &mut Reader<'_>, song: &Song) -> Result<(Call, Value), String> {
    let mut functions = song.functions.iter().enumerate();
    let found =
        functions.find(|(_, function)| function.is_external() && reader.skips_word(&function.name));
    let Some((at, function)) = found else {
        return Err(reader.expected("an external function of the song"));
    };
    let parameters = function.locals[..function.arity].iter();
    let types: Vec<_> = parameters.map(|local| &local.ty).collect();
    let arguments = reader.each(&types, ("(", ")"))?;
    reader.sign("=")?;
    let result = reader.value(&function.result)?;
    Ok(((FnId::from(at), arguments.to_vec()), result))
}
