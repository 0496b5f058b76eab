//! What the Python package calls: a host that answers questions as JSON, tables as arrays, and
//! the command line. `python/nimrule` has the interface for people.
//!
//! A game is asked in a thread of its own, whose stack is large, while Python's other threads
//! run and Ctrl-C is looked for.

use nimrule::{Instant, Limits, Progress, codes_of, shape};
use nimrule_answer::proof::{Numeration, table};
use nimrule_answer::{Discovered, DiscoveryBounds, Session};
use nimrule_engine::{Query, Question, Region, SolveError, Steps, Table, TableValues};
use nimrule_host::messages::{Fault as Why, FaultKind};
use nimrule_host::{Files, failure, progress_of};
use nimrule_model::game::Convention;
use numpy::{Element, IntoPyArray, PyArrayMethods};
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

pyo3::create_exception!(
    _core,
    Fault,
    PyException,
    "No answer: its argument is a fault as JSON."
);

/// Between two looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// The stack of a thread that answers. It is reserved, and taken only where it is used.
const STACK: usize = 64 << 20;

type Job = Box<dyn FnOnce(&mut nimrule_host::Host) + Send>;

/// The limits of a question: an object with these attributes.
#[derive(FromPyObject)]
struct Bounds {
    seconds: Option<f64>,
    memory: Option<u64>,
    threads: Option<usize>,
    /// Called with words and, where it is known, the part that is done.
    progress: Option<Py<PyAny>>,
}

impl Bounds {
    fn limits(&self, progress: &Arc<Progress>) -> Limits {
        let deadline = |seconds: f64| Instant::now() + Duration::from_secs_f64(seconds.max(0.0));
        Limits {
            memory: self.memory.unwrap_or_else(nimrule::cli::free_memory),
            deadline: self.seconds.filter(|s| *s < 1e9).map(deadline),
            threads: self.threads.unwrap_or_else(|| {
                std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
            }),
            progress: Some(Arc::clone(progress)),
            work: None,
            patience: self
                .seconds
                .map(|seconds| Steps((seconds.clamp(0.0, 1e12) * 1e6) as u64)),
        }
    }
}

/// A game that is asked one question after another.
#[pyclass(frozen, module = "nimrule._core")]
struct Host {
    /// The thread ends when this does.
    jobs: Sender<Job>,
}

impl Host {
    /// Runs a question in the host's thread. `Ctrl-C` stops it.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        bounds: &Bounds,
        work: impl FnOnce(&mut nimrule_host::Host) -> T + Send + 'static,
    ) -> PyResult<T> {
        let progress = Arc::new(Progress::new());
        let limits = bounds.limits(&progress);
        let (done, answer) = channel();
        let job = move |host: &mut nimrule_host::Host| {
            host.set_limits(limits);
            let answer = catch_unwind(AssertUnwindSafe(|| work(host)));
            // Nobody waits any more if Ctrl-C has come.
            let _ = done.send(answer.map_err(|_| "the computation panicked"));
        };
        let gone = || PyRuntimeError::new_err("the thread of the game has ended");
        self.jobs.send(Box::new(job)).map_err(|_| gone())?;
        wait(py, answer, &progress, bounds)
    }
}

/// Waits for an answer, and looks for Ctrl-C meanwhile.
fn wait<T: Send>(
    py: Python<'_>,
    mut answer: Receiver<Result<T, &'static str>>,
    progress: &Progress,
    bounds: &Bounds,
) -> PyResult<T> {
    let mut told = None;
    loop {
        let found;
        (answer, found) = py.detach(move || {
            let found = answer.recv_timeout(LOOK);
            (answer, found)
        });
        match found {
            Ok(answer) => return answer.map_err(PyRuntimeError::new_err),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the thread of the game has ended"));
            }
            Err(RecvTimeoutError::Timeout) => {
                let mut going_on = py.check_signals();
                if let (Ok(()), Some(tell)) = (&going_on, &bounds.progress) {
                    let now = progress_of(progress);
                    let now = (now.words, now.part);
                    if told.as_ref() != Some(&now) {
                        going_on = tell.call1(py, now.clone()).map(drop);
                        told = Some(now);
                    }
                }
                if let Err(error) = going_on {
                    progress.stop();
                    return Err(error);
                }
            }
        }
    }
}

fn fault(why: &Why) -> PyErr {
    let text = serde_json::to_string(why).unwrap_or_default();
    Fault::new_err(text)
}

fn no_game() -> Why {
    Why {
        kind: FaultKind::Question,
        words: "no game is open".to_owned(),
        findings: Vec::new(),
    }
}

/// What `read` of Python reads; without it, the shipped games.
fn files(read: Option<Py<PyAny>>) -> Files {
    match read {
        None => Arc::new(nimrule_host::shipped_file),
        Some(read) => Arc::new(move |name: &str| {
            Python::attach(|py| read.call1(py, (name,))?.extract::<Vec<u8>>(py))
                .map_err(|error: PyErr| error.to_string())
        }),
    }
}

/// An array, the lengths of its sides or, where it is a list, its positions, and the largest
/// heap.
type Tabulated<'py> = (
    Bound<'py, PyAny>,
    Option<Vec<usize>>,
    Option<Vec<String>>,
    u64,
);

/// The table of all positions up to a size, or up to the one that the file suggests.
fn tabulated(
    session: &Session<'_>,
    query: Query,
    most: Option<u64>,
) -> Result<(Table, u64), SolveError> {
    if query.question == Question::Grundy && query.convention == Convention::Misere {
        return Err(SolveError::NoValues {
            reason: "under misere play values do not add up",
        });
    }
    let most = most.unwrap_or_else(|| session.box_size());
    let limits = session.limits();
    let region = session.solver().region(most, limits)?;
    Ok((session.table(&region, query, limits, None)?, most))
}

/// An array that owns the numbers, of these sides.
fn shaped<'py, T: Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    sides: Option<&[usize]>,
) -> PyResult<Bound<'py, PyAny>> {
    let array = numbers.into_pyarray(py);
    Ok(match sides {
        Some(sides) => array.reshape(sides)?.into_any(),
        None => array.into_any(),
    })
}

/// The automaton of the P-positions of all sizes as JSON; without one, why.
fn automaton(session: &Session<'_>, convention: Convention) -> Result<Value, Why> {
    let game = session.game();
    let found = session
        .discover(convention, DiscoveryBounds::default())
        .map_err(|met| failure(game, &SolveError::from(met)))?;
    let why = |words: String| Why { words, ..no_game() };
    let found = match found {
        Discovered::Proved(found) => found,
        Discovered::OfAnyNumber(_) => {
            return Err(why("any number of heaps has no automaton".to_owned()));
        }
        Discovered::Unknown(_) | Discovered::NoTheorem(_) => {
            return Err(why("no automaton was found and proved".to_owned()));
        }
        Discovered::Unsupported(reason) => {
            return Err(why(format!("the search does not apply: {reason}")));
        }
    };
    let table = table(game, &found.set);
    let table = table.ok_or_else(|| why("the automaton is too large for a table".to_owned()))?;
    let states = 0..table.states() as u32;
    let rows = states.clone().map(|state| {
        let letters = 0..table.letters();
        letters
            .map(|letter| table.step(state, letter))
            .collect::<Vec<u32>>()
    });
    let accepting = states.filter(|state| table.is_accepting(*state));
    let (name, number) = match found.set.numeration() {
        Numeration::Base(base) => ("base", base),
        Numeration::Ostrowski(quotient) => ("ostrowski", quotient),
    };
    Ok(json!({
        "tracks": game.heap_names,
        "numeration": name,
        "number": number,
        "digits": table.base,
        "accepting": accepting.collect::<Vec<u32>>(),
        "transitions": rows.collect::<Vec<Vec<u32>>>(),
        "form": found.form.words(),
        "checked": found.checked,
    }))
}

#[pymethods]
impl Host {
    /// A host that reads the files which rules name through a function of their name.
    #[new]
    #[pyo3(signature = (read=None))]
    fn new(read: Option<Py<PyAny>>) -> PyResult<Host> {
        let (jobs, queue) = channel::<Job>();
        let files = files(read);
        let work = move || {
            let mut host = nimrule_host::Host::reading(files);
            for job in queue {
                job(&mut host);
            }
        };
        let thread = std::thread::Builder::new().name("nimrule".to_owned());
        thread.stack_size(STACK).spawn(work)?;
        Ok(Host { jobs })
    }

    /// Answers a question: `{"value": …}` or `{"fault": …}`.
    fn ask(&self, py: Python<'_>, question: String, bounds: Bounds) -> PyResult<String> {
        self.run(py, &bounds, move |host| host.ask(&question))
    }

    /// The outcomes, as codes, or the Grundy values of all positions up to a size.
    fn table<'py>(
        &self,
        py: Python<'py>,
        most: Option<u64>,
        grundy: bool,
        bounds: Bounds,
    ) -> PyResult<Tabulated<'py>> {
        let question = match grundy {
            true => Question::Grundy,
            false => Question::Outcome,
        };
        let found = self.run(py, &bounds, move |host| {
            let found = host.ask_session(|session, convention| {
                let query = Query {
                    question,
                    convention,
                };
                let (table, most) =
                    tabulated(session, query, most).map_err(|no| failure(session.game(), &no))?;
                let positions = match table.region() {
                    Region::List(_) => {
                        let places = 0..table.region().count();
                        let shown = places.map(|at| session.game().shown(&table.region().at(at)));
                        Some(shown.collect::<Vec<String>>())
                    }
                    _ => None,
                };
                Ok((table, positions, most))
            });
            found.unwrap_or_else(|| Err(no_game()))
        })?;
        let (table, positions, most) = found.map_err(|why| fault(&why))?;
        let sides = shape(table.region());
        let array = match (question, table.into_parts().1) {
            (Question::Grundy, TableValues::Grundy(values)) => {
                shaped(py, values, sides.as_deref())?
            }
            (_, values) => shaped(py, codes_of(values), sides.as_deref())?,
        };
        Ok((array, sides, positions, most))
    }

    /// The automaton of the P-positions of all sizes, as JSON.
    fn automaton(&self, py: Python<'_>, bounds: Bounds) -> PyResult<String> {
        let found = self.run(py, &bounds, |host| {
            let found = host.ask_session(automaton);
            found.unwrap_or_else(|| Err(no_game()))
        })?;
        found
            .map(|found| found.to_string())
            .map_err(|why| fault(&why))
    }
}

/// The texts of the shipped games, by name.
#[pyfunction]
fn shipped() -> Vec<(String, String)> {
    let games = nimrule_host::shipped().into_iter();
    games.map(|game| (game.file, game.text)).collect()
}

/// A file of the folder of shipped games.
#[pyfunction]
fn shipped_file<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = nimrule_host::shipped_file(name).map_err(PyFileNotFoundError::new_err)?;
    Ok(PyBytes::new(py, &bytes))
}

/// The command line; its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| nimrule::cli::run(arguments))
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Fault", module.py().get_type::<Fault>())?;
    module.add_class::<Host>()?;
    module.add_function(wrap_pyfunction!(shipped, module)?)?;
    module.add_function(wrap_pyfunction!(shipped_file, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    Ok(())
}
