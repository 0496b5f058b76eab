//! The ranks of `mpirun`: processes that share the columns of a box and send each other
//! parcels of words.
//!
//! One thread of each rank makes all calls of MPI. It sends the parcels that the other
//! threads hand over, and keeps those that arrive until somebody takes them, so that the
//! other threads wait as for any lock, and end when a limit is exceeded. At most
//! [`IN_FLIGHT`] faces wait to be sent, and as many as the memory has room for to be taken: a
//! rank that is ahead of the next one by more waits for it, which says when it has room. So
//! all that is sent is received at once, and no rank waits within MPI.
//!
//! The rank 0 speaks for all. The others compute the same answer, and are silent. One that
//! fails tells rank 0 why, which says so and ends all.

mod columns;

pub use columns::RankColumns;

use super::checkpoint::CheckpointArguments;
use super::load::{self, Answered};
use super::{Status, progress};
use mpi::environment::processor_name;
use mpi::topology::{Communicator as _, SimpleCommunicator};
use mpi::traits::{CommunicatorCollectives as _, Destination as _, Equivalence as _, Source as _};
use nimrule_engine::{Columns, Limits, Pipeline, SolveError};
use nimrule_kernels::columns::{ColumnSizes, FaceBuffer};
use nimrule_limits::checkpoint::{self, CheckpointError, Resumable as _};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The faces that a rank holds before they are sent, and the least for which it has room after
/// they have arrived.
const IN_FLIGHT: usize = 2;

/// The time in which a face is sent, received, and read from memory that no strip has used, in
/// the time of a strip.
const STRIPS_A_FACE: f64 = 1.0;

/// The most words of a parcel: MPI counts them in 31 bits.
const MOST_WORDS: usize = i32::MAX as usize;

/// The time between two looks at what has arrived or was sent, while a thread waits for it.
const SHORT_PAUSE: Duration = Duration::from_micros(100);

/// The same while all threads compute: each look takes the processor from one of them.
const LONG_PAUSE: Duration = Duration::from_millis(1);

/// The time between two looks at the limits.
const TICK: Duration = Duration::from_millis(20);

/// The time between two reports of progress to rank 0.
const REPORT: Duration = Duration::from_millis(500);

/// The time that rank 0 has to end all ranks after one of them failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a parcel is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u64)]
pub enum Subject {
    /// A face that is computed with while it is sent: the column and the slab.
    Face,
    /// A face that waits until its column is begun, or the notice that it is in a file: the
    /// column and the slab.
    StoredFace,
    /// A face was taken, so that there is room for another.
    Room,
    /// A column was saved: the column, and the number of its slabs.
    Saved,
    /// What a rank shares with all: its number.
    Part,
    /// What all ranks share.
    Whole,
    /// The positions that a rank has computed since it said so last: the rank.
    Progress,
    /// A rank failed, and why: the rank.
    Failure,
}

impl Subject {
    const ALL: [Subject; 8] = [
        Subject::Face,
        Subject::StoredFace,
        Subject::Room,
        Subject::Saved,
        Subject::Part,
        Subject::Whole,
        Subject::Progress,
        Subject::Failure,
    ];
}

/// What a parcel is about: the subject, the number of the sweep or of the exchange, and two
/// numbers of the subject.
pub type Key = (Subject, u64, u64, u64);

/// Words from one rank to another: a head, and bytes.
pub struct Parcel {
    buffer: FaceBuffer,
}

impl Parcel {
    /// A parcel of some bytes. `mark` is a number of the subject.
    pub fn new(key: Key, mark: u64, bytes: &[u8]) -> Parcel {
        let mut buffer = FaceBuffer::new(bytes.len());
        buffer.bytes_mut()[..bytes.len()].copy_from_slice(bytes);
        Parcel::in_buffer(buffer, bytes.len(), key, mark)
    }

    /// A parcel of so many bytes of a buffer.
    fn in_buffer(
        mut buffer: FaceBuffer,
        len: usize,
        (subject, exchange, first, second): Key,
        mark: u64,
    ) -> Parcel {
        let head = [subject as u64, exchange, first, second, mark, len as u64];
        buffer.words_mut()[..head.len()].copy_from_slice(&head);
        Parcel { buffer }
    }

    fn key(&self) -> Key {
        let words = self.buffer.words();
        let subject = Subject::ALL[words[0] as usize];
        (subject, words[1], words[2], words[3])
    }

    /// The number of the subject.
    pub fn mark(&self) -> u64 {
        self.buffer.words()[4]
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer.bytes()[..self.buffer.words()[5] as usize]
    }

    /// The buffer, in which the bytes are.
    pub fn into_buffer(self) -> FaceBuffer {
        self.buffer
    }
}

/// The bytes of memory that a rank may use, its threads, and whether faces wait in memory for the
/// next round of columns.
pub type OfRank = (u64, usize, bool);

/// The processes that share a box.
pub struct Ranks {
    /// The number of this process, from 0.
    pub rank: usize,
    /// The number of processes, at least two.
    pub count: usize,
    /// The number of those on this machine.
    pub on_this_machine: usize,
    mail: Mail,
    /// The numbers of exchanges and of sweeps so far.
    exchanges: AtomicU64,
    sweeps: AtomicU64,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the thread of MPI and the others hand to each other.
#[derive(Default)]
struct Mail {
    state: Mutex<MailState>,
    changed: Condvar,
}

#[derive(Default)]
struct MailState {
    /// To be sent, each with its rank; the faces apart, since they wait for room.
    out: VecDeque<(usize, Parcel)>,
    faces: VecDeque<(usize, Parcel)>,
    /// The faces that were sent, and that the next rank has not taken; and the most.
    not_taken: usize,
    most_not_taken: usize,
    /// The faces that are not sent yet.
    faces_out: usize,
    /// The memory of faces that were sent or taken, for others of the same length.
    spare: Vec<FaceBuffer>,
    /// That have arrived.
    here: BTreeMap<Key, Parcel>,
    /// The threads that wait for what another rank does.
    waiting: usize,
    /// How all ranks end.
    end: Option<End>,
}

#[derive(Debug, Clone, Copy)]
enum End {
    /// When all of them are here.
    Together,
    /// At once, with this status.
    Abort(i32),
}

impl Mail {
    fn state(&self) -> MutexGuard<'_, MailState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, or for a time.
    fn wait<'m>(
        &'m self,
        state: MutexGuard<'m, MailState>,
        time: Duration,
    ) -> MutexGuard<'m, MailState> {
        let waited = self.changed.wait_timeout(state, time);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits for what another rank does, or for a time.
    fn wait_for_others<'m>(
        &'m self,
        mut state: MutexGuard<'m, MailState>,
    ) -> MutexGuard<'m, MailState> {
        state.waiting += 1;
        if state.waiting == 1 {
            // The thread of MPI looks more often from now on.
            self.changed.notify_all();
        }
        let mut state = self.wait(state, TICK);
        state.waiting -= 1;
        state
    }

    /// Waits until there may be something to do for the thread of MPI.
    fn pause(&self, state: MutexGuard<'_, MailState>) {
        let pause = match state.waiting {
            0 => LONG_PAUSE,
            _ => SHORT_PAUSE,
        };
        drop(self.wait(state, pause));
    }
}

impl MailState {
    /// The next parcel to send.
    fn next(&mut self) -> Option<(usize, Parcel)> {
        if let Some(next) = self.out.pop_front() {
            return Some(next);
        }
        let waits = self.faces.front()?.1.key().0 == Subject::Face;
        if waits && self.not_taken >= self.most_not_taken {
            return None;
        }
        self.not_taken += usize::from(waits);
        self.faces.pop_front()
    }

    /// Memory for a parcel of so many words with its head, of any content.
    fn buffer(&mut self, words: usize) -> FaceBuffer {
        let fits = |spare: &FaceBuffer| spare.words().len() == words;
        match self.spare.iter().position(fits) {
            // PERF: new pages of memory take as long as a copy.
            Some(place) => self.spare.swap_remove(place),
            None => FaceBuffer::of_words(words),
        }
    }

    fn reuse(&mut self, unused: FaceBuffer) {
        let is_empty = unused.bytes().is_empty();
        if !is_empty && self.spare.len() < IN_FLIGHT + self.most_not_taken {
            self.spare.push(unused);
        }
    }

    fn failure(&self) -> Option<SolveError> {
        let (key, parcel) = self.here.range((Subject::Failure, 0, 0, 0)..).next()?;
        let reason = String::from_utf8_lossy(parcel.bytes());
        Some(SolveError::Refused {
            reason: format!("rank {} has ended: {reason}", key.2),
        })
    }
}

static RANKS: OnceLock<Option<Ranks>> = OnceLock::new();

/// The ranks of this process, if there are several and [`start`] was called.
pub fn ranks() -> Option<&'static Ranks> {
    RANKS.get()?.as_ref()
}

/// Joins the other processes that `mpirun` has started.
pub fn start() {
    RANKS.get_or_init(|| {
        let (sender, joined) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            // All calls of MPI are made by this thread, which no other needs to know.
            let Some(universe) = mpi::initialize() else {
                return;
            };
            let world = universe.world();
            let local = world.split_shared(world.rank()).size();
            let _ = sender.send([world.rank(), world.size(), local].map(|number| number as usize));
            if world.size() > 1 {
                let ranks = RANKS.wait().as_ref().expect("there are several");
                carry(&ranks.mail, &world);
            }
        });
        let [rank, count, on_this_machine] = joined.recv().ok()?;
        (count > 1).then(|| Ranks {
            rank,
            count,
            on_this_machine,
            mail: Mail::default(),
            exchanges: AtomicU64::new(0),
            sweeps: AtomicU64::new(0),
            thread: Mutex::new(Some(thread)),
        })
    });
}

/// Refuses what several ranks cannot share.
pub fn check(file: &str, most: Option<u64>, checkpoint: &CheckpointArguments) -> Answered<()> {
    if ranks().is_none() {
        return Ok(());
    }
    let refused = if file == "-" {
        "only one rank of `mpirun` has the standard input: name a file"
    } else if most.is_none() {
        "the ranks of `mpirun` share a box of a known size: add `--max`"
    } else if checkpoint.is_asked() {
        "`--checkpoint` is for one process: `--out-of-core FOLDER` saves the columns of ranks"
    } else {
        return Ok(());
    };
    Err(load::wrong(refused))
}

/// Ends the process with the others, and returns its exit status: only rank 0 has one.
pub fn finish(status: Status) -> Status {
    let Some(ranks) = ranks() else { return status };
    let is_answered = matches!(status, Status::Fine | Status::Fails);
    if !is_answered && ranks.rank > 0 {
        let (errors, _) = progress::take_said();
        let machine = processor_name().unwrap_or_default();
        let reason = format!("on {machine}: {}", errors.join("; "));
        let key = (Subject::Failure, 0, ranks.rank as u64, 0);
        ranks.send(0, Parcel::new(key, 0, reason.as_bytes()));
        // Rank 0 says it, and ends all.
        std::thread::sleep(PATIENCE);
        eprintln!("error: rank {} {reason}", ranks.rank);
    }
    let end = match is_answered {
        true => End::Together,
        false => End::Abort(status as i32),
    };
    ranks.mail.state().end = Some(end);
    ranks.mail.changed.notify_all();
    let thread = ranks
        .thread
        .lock()
        .ok()
        .and_then(|mut thread| thread.take());
    if let Some(thread) = thread {
        // Its panic has been printed.
        let _ = thread.join();
    }
    match ranks.rank {
        0 => status,
        _ => Status::Fine,
    }
}

impl Ranks {
    /// The number of the next sweep, which is the same for all ranks: they sweep the same boxes
    /// one after another.
    pub fn next_sweep(&self) -> u64 {
        self.sweeps.fetch_add(1, Ordering::Relaxed)
    }

    /// The ranks as they share columns; the argument is whether faces wait in memory for the next
    /// round.
    pub fn pipeline(&self, stores: bool) -> Pipeline {
        Pipeline {
            processes: self.count,
            face: STRIPS_A_FACE,
            keeps_faces: stores,
        }
    }

    /// The columns of the ranks that take the least time, among those that fit the memory of
    /// each; `None` if none do.
    pub fn columns(&self, sizes: ColumnSizes, of_rank: OfRank) -> Option<Columns> {
        let (memory, threads, stores) = of_rank;
        // The memory ascends with the strips.
        let most = |count: usize| {
            let fits = |strips: usize| {
                let needed = self.memory(&sizes, (strips, count, 2 * IN_FLIGHT), threads, stores);
                needed <= u128::from(memory)
            };
            let widths: Vec<usize> = (1..=sizes.strips).collect();
            widths.partition_point(|strips| fits(*strips))
        };
        let room = |widest, count| self.room_for(&sizes, (widest, count), of_rank);
        Columns::fastest(sizes, &self.pipeline(stores), most, room)
    }

    /// The faces of a rank that may wait to be sent or taken, where columns of at most so many
    /// strips, of so many, leave so much memory.
    fn room_for(
        &self,
        sizes: &ColumnSizes,
        (widest, count): (usize, usize),
        (memory, threads, stores): OfRank,
    ) -> usize {
        let needed = self.memory(sizes, (widest, count, 0), threads, stores);
        let faces = u128::from(memory).saturating_sub(needed) / sizes.face.max(1);
        let faces = usize::try_from(faces).unwrap_or(usize::MAX);
        faces.min(sizes.slabs).max(2 * IN_FLIGHT)
    }

    /// Has the faces of the columns wait where there is room for them.
    pub fn make_room(&self, columns: &Columns, of_rank: OfRank) {
        let columns_of = (columns.widest(), columns.count());
        let room = self.room_for(&columns.sizes, columns_of, of_rank);
        let mut state = self.mail.state();
        state.most_not_taken = room - IN_FLIGHT;
        // Those of an earlier sweep may have another length.
        let of_face = |unused: &FaceBuffer| unused.bytes().len() as u128 == columns.sizes.face;
        state.spare.retain(of_face);
    }

    /// The faces of a rank that may wait to be sent or taken.
    pub fn room(&self) -> usize {
        IN_FLIGHT + self.mail.state().most_not_taken
    }

    /// The bytes of memory of each rank for the columns that take least, with one thread.
    pub fn least_memory(&self, sizes: ColumnSizes, stores: bool) -> u128 {
        let counts = 1..=sizes.strips;
        let needed = counts.map(|count| {
            let widest = sizes.strips.div_ceil(count);
            self.memory(&sizes, (widest, count, 2 * IN_FLIGHT), 1, stores)
        });
        needed.min().unwrap_or(0)
    }

    /// The bytes of memory of each rank for columns of at most so many strips, of so many, with
    /// so many faces that wait; the rest is as in [`OfRank`].
    pub fn memory(
        &self,
        sizes: &ColumnSizes,
        (widest, count, room): (usize, usize, usize),
        threads: usize,
        stores: bool,
    ) -> u128 {
        let faces = match count > self.count && stores {
            true => sizes.slabs,
            false => 0,
        };
        // One more is written, and one read.
        let faces = faces + room + 2;
        let threads = threads.min(sizes.most_threads).min(widest / 2).max(1);
        sizes.memory(widest, threads) + faces as u128 * sizes.face
    }

    /// Hands a parcel over to be sent.
    pub fn send(&self, to: usize, parcel: Parcel) {
        self.mail.state().out.push_back((to, parcel));
        self.mail.changed.notify_all();
    }

    /// Hands a face over to be sent, when there is room, and leaves other memory in its place.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded, the face is too long, or a rank fails.
    pub fn send_face(
        &self,
        to: usize,
        (key, mark, face): (Key, u64, &mut FaceBuffer),
        limits: &Limits,
    ) -> Result<(), SolveError> {
        let words = face.words().len();
        if words > MOST_WORDS {
            let reason = "a face of a column is longer than a message of MPI, 16 GiB".to_owned();
            return Err(SolveError::Refused { reason });
        }
        let mut state = self.mail.state();
        while state.faces_out >= IN_FLIGHT {
            state = self.mail.wait_for_others(state);
            self.check(&state, limits)?;
        }
        state.faces_out += 1;
        let face = std::mem::replace(face, state.buffer(words));
        let len = face.bytes().len();
        let face = Parcel::in_buffer(face, len, key, mark);
        state.faces.push_back((to, face));
        drop(state);
        self.mail.changed.notify_all();
        Ok(())
    }

    fn check(&self, state: &MailState, limits: &Limits) -> Result<(), SolveError> {
        limits.check_waited_for()?;
        state.failure().map_or(Ok(()), Err)
    }

    /// Waits for a parcel, and takes it.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded, or a rank fails.
    pub fn receive(&self, key: Key, limits: &Limits) -> Result<Parcel, SolveError> {
        let mut state = self.mail.state();
        loop {
            if let Some(parcel) = state.here.remove(&key) {
                if key.0 == Subject::Face {
                    let room = Parcel::new((Subject::Room, 0, 0, 0), 0, &[]);
                    state.out.push_back((self.rank - 1, room));
                    self.mail.changed.notify_all();
                }
                return Ok(parcel);
            }
            state = self.mail.wait_for_others(state);
            self.check(&state, limits)?;
        }
    }

    /// Takes memory that others may use.
    pub fn reuse(&self, unused: FaceBuffer) {
        self.mail.state().reuse(unused);
    }

    /// Takes the notices of columns that were saved in a sweep, after waiting for one for a
    /// moment: each column with the number of its slabs.
    pub fn saved(&self, sweep: u64) -> Vec<(usize, usize)> {
        let notices = (Subject::Saved, sweep, 0, 0)..(Subject::Saved, sweep + 1, 0, 0);
        let mut state = self.mail.state();
        if state.here.range(notices.clone()).next().is_none() {
            state = self.mail.wait(state, TICK);
        }
        let keys: Vec<Key> = state.here.range(notices).map(|(key, _)| *key).collect();
        for key in &keys {
            state.here.remove(key);
        }
        let saved = keys.into_iter();
        saved
            .map(|(_, _, column, done)| (column as usize, done as usize))
            .collect()
    }

    /// Shares bytes of each rank with all of them; returns those of all ranks, by rank.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded, or a rank fails.
    pub fn share(&self, bytes: &[u8], limits: &Limits) -> Result<Vec<Vec<u8>>, SolveError> {
        let exchange = self.exchanges.fetch_add(1, Ordering::Relaxed);
        let part = |rank: usize| (Subject::Part, exchange, rank as u64, 0);
        let whole = (Subject::Whole, exchange, 0, 0);
        if self.rank > 0 {
            self.send(0, Parcel::new(part(self.rank), 0, bytes));
            let parcel = self.receive(whole, limits)?;
            let mut parts: Vec<Vec<u8>> = Vec::new();
            let read = checkpoint::read_state(parcel.bytes(), |from| parts.restore(from));
            return read.map(|()| parts).map_err(|unfit| unread(&unfit));
        }
        let mut parts = vec![bytes.to_vec()];
        for rank in 1..self.count {
            parts.push(self.receive(part(rank), limits)?.bytes().to_vec());
        }
        let all = checkpoint::state_of(&parts);
        for rank in 1..self.count {
            self.send(rank, Parcel::new(whole, 0, &all));
        }
        Ok(parts)
    }
}

/// The error of what the ranks share that cannot be read.
pub fn unread(unfit: &CheckpointError) -> SolveError {
    SolveError::Refused {
        reason: format!("what the ranks share cannot be read: {unfit}"),
    }
}

/// Carries parcels until all ranks end.
fn carry(mail: &Mail, world: &SimpleCommunicator) {
    let mut reported = (Instant::now(), progress::watch().snapshot());
    loop {
        let has_received = receive(mail, world);
        let mut state = mail.state();
        if let Some((to, parcel)) = state.next() {
            drop(state);
            send(mail, world, to, parcel);
            continue;
        }
        match state.end {
            Some(End::Abort(status)) => {
                drop(state);
                world.abort(status);
            }
            Some(End::Together) => break,
            None => {}
        }
        if world.rank() > 0 && reported.0.elapsed() >= REPORT {
            let (before, now) = (reported.1, progress::watch().snapshot());
            reported = (Instant::now(), now);
            let done = now.done.saturating_sub(before.done);
            if now.begun == before.begun && done > 0 {
                let key = (Subject::Progress, 0, world.rank() as u64, 0);
                state.out.push_back((0, Parcel::new(key, done, &[])));
            }
        }
        if !has_received && state.out.is_empty() {
            mail.pause(state);
        }
    }
    // Without the processor, unlike a barrier: rank 0 may be writing for long.
    let mut barrier = world.immediate_barrier();
    while let Err(waiting) = barrier.test() {
        barrier = waiting;
        std::thread::sleep(SHORT_PAUSE);
    }
}

/// Sends a parcel, and receives others meanwhile, which may be needed before it is taken.
fn send(mail: &Mail, world: &SimpleCommunicator, to: usize, parcel: Parcel) {
    let subject = parcel.key().0;
    let process = world.process_at_rank(to as i32);
    mpi::request::scope(|scope| {
        let mut request = process.immediate_send(scope, parcel.buffer.words());
        while let Err(waiting) = request.test() {
            request = waiting;
            if !receive(mail, world) {
                // The processor may be that of the rank that is waited for.
                mail.pause(mail.state());
            }
        }
    });
    if matches!(subject, Subject::Face | Subject::StoredFace) {
        let mut state = mail.state();
        state.faces_out -= 1;
        state.reuse(parcel.buffer);
        drop(state);
        mail.changed.notify_all();
    }
}

/// Receives a parcel, if one has arrived.
fn receive(mail: &Mail, world: &SimpleCommunicator) -> bool {
    let found = world.any_process().immediate_matched_probe();
    let Some((message, status)) = found else {
        return false;
    };
    let words = status.count(u64::equivalent_datatype()) as usize;
    let mut buffer = mail.state().buffer(words);
    message.matched_receive_into(buffer.words_mut());
    let parcel = Parcel { buffer };
    match parcel.key().0 {
        Subject::Progress => {
            let limits = Limits {
                progress: Some(progress::watch()),
                ..Limits::of_memory(0)
            };
            limits.add_done(parcel.mark());
        }
        Subject::Room => mail.state().not_taken -= 1,
        _ => {
            mail.state().here.insert(parcel.key(), parcel);
        }
    }
    mail.changed.notify_all();
    true
}
