//! Rounds enqueued together and read back together.
//!
//! Tokens, caches and the committed length live on the device and positions are relative to that
//! length, so a round needs nothing that the host knows of the round before. What the host finds
//! out late is only where the text ends; rounds beyond that are not looked at.

use couplet_kernels::{Device, DeviceError, Read, Readback, Step, record};
use couplet_protocol::{Drafter, Event, FinishReason, Settings, Timings};
use couplet_speculation::rules::{CommitEnd, commit};

use crate::auto_gamma::{self, Experience};
use crate::events::{RoundData, round_events};
use crate::pace::Bounds;
use crate::programs::ProgramKind;
use crate::{Ahead, Engine, EngineError, Run};

/// Rounds that a device works on.
#[derive(Debug)]
pub(crate) struct Batch {
    plan: Plan,
    readback: Readback,
}

/// What was enqueued.
#[derive(Clone, Copy, Debug)]
struct Plan {
    gamma: usize,
    rounds: usize,
    details: bool,
    /// Dispatches of one of its rounds.
    dispatches: usize,
    /// Passes of the draft that its time holds besides the rounds.
    catching_up: usize,
    /// When it was asked for: what is told of its time holds what the draft read first.
    asked: f64,
    /// When it was encoded, which on the CPU is after that.
    begun: f64,
}

/// What a round did.
#[derive(Debug)]
pub(crate) struct RoundFacts {
    pub(crate) round: u32,
    pub(crate) gamma: usize,
    /// Drafted tokens up to the first that was not kept, or up to the one that ended the text.
    pub(crate) judged: usize,
    /// How many of these were kept.
    pub(crate) accepted: usize,
    /// What it wrote.
    pub(crate) tokens: Vec<u32>,
    pub(crate) timings: Timings,
    /// When its tokens were there.
    pub(crate) end: f64,
    /// Events up to, and without, `Committed`, where they were asked for.
    details: Vec<Event>,
    finished: Option<FinishReason>,
}

impl RoundFacts {
    fn events(self) -> impl Iterator<Item = Event> {
        let round = self.round;
        let committed = Event::Committed {
            round,
            tokens: self.tokens,
        };
        let ended = Event::RoundEnded {
            round,
            timings: self.timings,
        };
        let finished = self.finished.map(|reason| Event::Finished { reason });
        self.details
            .into_iter()
            .chain([committed, ended])
            .chain(finished)
    }
}

/// The largest γ that rounds under these settings may have.
fn largest_gamma(settings: &Settings) -> usize {
    if settings.auto_gamma {
        auto_gamma::LARGEST
    } else {
        settings.gamma as usize
    }
}

/// Drafted tokens up to the first that was not kept.
pub(crate) fn judged(gamma: usize, accepted: usize) -> usize {
    gamma.min(accepted + 1)
}

/// How many drafted tokens count as judged, and how many of these as accepted, where the text ends with
/// the round's token of this number. Behind the end of a text stand easy tokens of another, which say
/// nothing about this one.
fn counted(gamma: usize, accepted: usize, text_ends_with: Option<usize>) -> (usize, usize) {
    match text_ends_with {
        Some(end) if end <= accepted => (end, end),
        _ => (judged(gamma, accepted), accepted),
    }
}

/// Whether rounds of `gamma`, one after the other from `length` tokens on, can have written these
/// records. What reads them indexes by what they say.
fn are_sound(records: &[Vec<Vec<u32>>], gamma: usize, mut length: usize, vocab: usize) -> bool {
    let is_token = |id: u32| (id as usize) < vocab;
    let is_entry = |entry: &[u32]| {
        let own_token = entry[record::ENTRY_OWN_TOKEN];
        is_token(entry[record::ENTRY_TOKEN])
            && (own_token == record::NO_TOKEN || is_token(own_token))
    };
    records.iter().all(|words| {
        let record = &words[0];
        let accepted = record[record::ACCEPTED] as usize;
        let mut entries = record[record::HEAD..].chunks_exact(record::ENTRY);
        let sound = record[record::LENGTH] as usize == length
            && record[record::GAMMA] as usize == gamma
            && accepted <= gamma
            && (record[record::IS_BONUS] == 1) == (accepted == gamma)
            && is_token(record[record::NEW_TOKEN])
            && entries.all(is_entry);
        length += accepted.min(gamma) + 1;
        sound
    })
}

impl Engine {
    /// Goes on with a run and tells what its next rounds did: those of one readback on a GPU, as
    /// many as time allows on the CPU. Two readbacks are under way at a time, so that a GPU does
    /// not wait for the host; none when one round is asked for.
    ///
    /// # Errors
    ///
    /// If the device fails; the run keeps what was committed before.
    pub async fn rounds(&self, run: &mut Run, ahead: Ahead) -> Result<Vec<Event>, EngineError> {
        let facts = self.advance(run, ahead).await?;
        Ok(facts.into_iter().flat_map(RoundFacts::events).collect())
    }

    /// One round in one submission with one readback.
    ///
    /// # Errors
    ///
    /// As [`Engine::rounds`].
    pub async fn round(&self, run: &mut Run, details: bool) -> Result<Vec<Event>, EngineError> {
        self.rounds(run, Ahead::one(details)).await
    }

    /// Whether the next rounds of a run begin with timing some, so that γ can be chosen.
    pub fn is_about_to_time(&self, run: &Run) -> bool {
        run.settings.auto_gamma && run.under_way.is_empty() && !self.has_chooser(run)
    }

    /// [`Engine::rounds`], before it becomes events.
    pub(crate) async fn advance(
        &self,
        run: &mut Run,
        ahead: Ahead,
    ) -> Result<Vec<RoundFacts>, EngineError> {
        if run.settings.auto_gamma && run.under_way.is_empty() {
            // A run that another engine began finds none here.
            if run.round == 0 || !self.has_chooser(run) {
                self.ready_chooser(run).await?;
            }
        }
        let start = self.now();
        // In memory there is no readback to wait for and no reason to compute what the end of the
        // text may make superfluous.
        let here = matches!(self.device, Device::Cpu);
        let batches = if here || ahead.rounds == 1 { 1 } else { 2 };
        let mut facts = Vec::new();
        while run.finished.is_none() {
            while run.under_way.len() < batches {
                let ahead = if here {
                    Ahead::one(ahead.details)
                } else {
                    ahead
                };
                match self.begin(run, ahead)? {
                    Some(batch) => run.under_way.push_back(batch),
                    None => break,
                }
            }
            let Some(batch) = run.under_way.pop_front() else {
                break;
            };
            match self.land(run, batch).await {
                Ok(more) => facts.extend(more),
                Err(error) => {
                    run.under_way.clear();
                    return Err(error);
                }
            }
            if !here || facts.len() >= ahead.rounds || self.now() - start >= ahead.milliseconds {
                break;
            }
        }
        Ok(facts)
    }

    /// Enqueues the next rounds; none where those under way may end the text.
    fn begin(&self, run: &mut Run, ahead: Ahead) -> Result<Option<Batch>, EngineError> {
        let under_way = |of: fn(&Plan, &Run) -> f64| -> f64 {
            run.under_way.iter().map(|batch| of(&batch.plan, run)).sum()
        };
        let most_tokens = under_way(|plan, _| (plan.rounds * (plan.gamma + 1)) as f64);
        let tokens = under_way(|plan, run| plan.rounds as f64 * run.pace.tokens(plan.gamma));
        let free = self.pair.context() - run.tokens.len();
        let surely_free = free.saturating_sub(most_tokens as usize);
        let wanted = run.wanted() as f64 - tokens;
        let alone = run.under_way.is_empty();
        if !alone && (surely_free <= largest_gamma(&run.settings) || wanted < 0.5) {
            return Ok(None);
        }
        let (wish, mut most) = self.wished_gamma(run, alone);
        let fit = surely_free / (wish + 1);
        // The target adds a token to the drafted ones, and all of them must have a position.
        let mut gamma = wish.min(free - 1);
        // Nor does anybody ask for a token beyond the last. A γ that was asked for is kept to: it decides
        // which numbers are used, and so what is written.
        let last = run.wanted().saturating_sub(1);
        if run.settings.auto_gamma && alone && gamma > last {
            gamma = last;
            // Most often it is the last round: another one after it would be waited for in vain.
            most = 1;
        }
        let vocab = self.pair.target_config.vocab_size;
        let mut reads = vec![Read {
            buffer: &self.record,
            words: 0..record::words(gamma),
        }];
        if ahead.details {
            reads.push(Read {
                buffer: &self.draft_probs,
                words: 0..gamma * vocab,
            });
            reads.push(Read {
                buffer: &self.target_probs,
                words: 0..(gamma + 1) * vocab,
            });
        }
        let bounds = Bounds {
            gamma,
            fit,
            wanted,
            bytes: 4 * reads.iter().map(|read| read.words.len()).sum::<usize>(),
        };
        let rounds = run.pace.rounds(ahead, bounds).min(most);
        run.pace.sent(rounds);
        self.began(run, gamma, rounds);
        let asked = self.now();
        let mut catching_up = 0;
        if gamma == 0 {
            run.unseen_by_draft += rounds;
        } else if run.settings.drafter == Drafter::Model {
            // Only a run that chooses γ drafts after rounds in which nobody did. Every such round
            // adds one token, also those that the device still works on.
            let count = std::mem::take(&mut run.unseen_by_draft);
            catching_up = self.catch_up(count);
        }
        let begun = match catching_up {
            0 => asked,
            _ => self.now(),
        };
        // In memory the draft has caught up by now; a GPU does so before it begins.
        if matches!(self.device, Device::Cpu) {
            catching_up = 0;
        }
        let program = self.prepared(ProgramKind::round(&run.settings, gamma));
        let step = Step {
            programs: &[&program],
            reads: &reads,
        };
        let readback = self.device.begin(&vec![step; rounds])?;
        let plan = Plan {
            gamma,
            rounds,
            details: ahead.details,
            dispatches: program.dispatches(),
            catching_up,
            asked,
            begun,
        };
        Ok(Some(Batch { plan, readback }))
    }

    /// Waits for a batch and commits what its rounds wrote, up to the end of the text.
    async fn land(&self, run: &mut Run, batch: Batch) -> Result<Vec<RoundFacts>, EngineError> {
        let Batch { plan, readback } = batch;
        let records = readback.finish().await?;
        let vocab = self.pair.target_config.vocab_size;
        // Before any is committed: what is committed has to be told, and an error tells nothing.
        if !are_sound(&records, plan.gamma, run.tokens.len(), vocab) {
            let message = "the record of a round came back damaged".to_owned();
            return Err(DeviceError::Refused(message).into());
        }
        let landed = self.now();
        // While the batch before it was worked on, this one only waited.
        let [asked, begun] = [plan.asked, plan.begun].map(|time| time.max(run.landed));
        run.landed = landed;
        let taken = (landed - begun) / plan.rounds as f64;
        if plan.catching_up == 0 {
            run.pace.took(plan.gamma, plan.rounds, landed - begun);
            let key = Experience::key(&run.settings);
            let mut round_times = self.round_times.borrow_mut();
            round_times.insert(key, run.pace.round_times());
        }
        let mut facts = Vec::with_capacity(plan.rounds);
        for words in &records {
            facts.push(self.commit_round(run, plan, words));
            if run.finished.is_some() {
                run.under_way.clear();
                break;
            }
        }
        let catching_up = plan.catching_up as f64 / plan.rounds as f64;
        self.learn(run, &facts, taken, catching_up);
        let milliseconds = (landed - asked) / facts.len() as f64;
        for (index, round) in facts.iter_mut().enumerate() {
            round.end = asked + milliseconds * (index + 1) as f64;
            round.timings.milliseconds = milliseconds;
        }
        if let (Some(last), Device::Gpu(_)) = (facts.last_mut(), &self.device) {
            last.timings.readbacks = 1;
        }
        Ok(facts)
    }

    /// Commits one round, whose record is sound; its times are not known yet.
    fn commit_round(&self, run: &mut Run, plan: Plan, words: &[Vec<u32>]) -> RoundFacts {
        let gamma = plan.gamma;
        let vocab = self.pair.target_config.vocab_size;
        let record = &words[0];
        let accepted = record[record::ACCEPTED] as usize;
        let new_tokens: Vec<u32> = (0..accepted)
            .map(|i| record[record::HEAD + record::ENTRY * i + record::ENTRY_TOKEN])
            .chain([record[record::NEW_TOKEN]])
            .collect();
        let details = if plan.details {
            round_events(&RoundData {
                round: run.round,
                settings: &run.settings,
                vocab,
                record,
                draft_probs: bytemuck::cast_slice(&words[1]),
                target_probs: bytemuck::cast_slice(&words[2]),
            })
        } else {
            Vec::new()
        };
        let free = self.pair.context() - run.tokens.len();
        let max_tokens = run.settings.max_tokens as usize;
        let end_of_text = self.pair.target_config.eos_token_id;
        let end_of_text = end_of_text.filter(|_| !run.goes_past_end);
        let (kept, end) = commit(&new_tokens, run.written, max_tokens, free, end_of_text);
        run.tokens.extend(&kept);
        run.written += kept.len();
        run.finished = end.map(|end| match end {
            CommitEnd::Length => FinishReason::Length,
            CommitEnd::ContextFull => FinishReason::ContextFull,
            CommitEnd::EndOfText => FinishReason::EndOfText,
        });
        let text_ends_with = (end == Some(CommitEnd::EndOfText)).then_some(kept.len());
        let (judged, accepted) = counted(gamma, accepted, text_ends_with);
        run.pace.judged(judged, accepted);
        let round = run.round;
        run.round += 1;
        RoundFacts {
            round,
            gamma,
            judged,
            accepted,
            tokens: kept,
            timings: Timings {
                dispatches: plan.dispatches as u32,
                ..Timings::default()
            },
            end: 0.0,
            details,
            finished: run.finished,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::rc::Rc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::{Backend, Pair, PairFiles};

    /// A millisecond later whenever somebody asks.
    fn ticking() -> f64 {
        static TIME: AtomicU32 = AtomicU32::new(0);
        f64::from(TIME.fetch_add(1, Ordering::Relaxed))
    }

    #[test]
    fn what_the_draft_reads_first_is_told_as_the_rounds_time() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/pairs/shakespeare");
        let pair = PairFiles::from_folder(&folder).and_then(Pair::new).unwrap();
        let settings = Settings {
            pair: pair.card.name.clone(),
            prompt: pair.card.prompt.clone(),
            gamma: 2,
            ..Settings::default()
        };
        let backend = Backend::cpu();
        let engine = Engine::new(Rc::new(pair), &backend, ticking);
        let engine = pollster::block_on(engine).unwrap();
        let (mut run, _) = pollster::block_on(engine.start(&settings)).unwrap();
        let mut told = |unseen| {
            run.unseen_by_draft = unseen;
            let facts = pollster::block_on(engine.advance(&mut run, Ahead::one(false))).unwrap();
            (facts[0].timings.milliseconds, run.pace.round_times()[2])
        };
        let (before, learnt) = told(0);
        // The clock is asked once more, after what was read.
        let (with_reading, learnt_with_it) = told(1);
        assert_eq!((before, with_reading), (1.0, 2.0));
        assert_eq!(learnt, learnt_with_it);
    }

    const GAMMA: usize = 2;
    const VOCAB: usize = 8;

    /// Two rounds after five tokens: one kept and one replaced, then all kept.
    fn records() -> Vec<Vec<Vec<u32>>> {
        let record = |length: u32, accepted: u32| {
            let mut words = vec![0; record::words(GAMMA)];
            words[record::LENGTH] = length;
            words[record::GAMMA] = GAMMA as u32;
            words[record::ACCEPTED] = accepted;
            words[record::IS_BONUS] = u32::from(accepted == GAMMA as u32);
            for entry in words[record::HEAD..].chunks_exact_mut(record::ENTRY) {
                entry[record::ENTRY_TOKEN] = 7;
                entry[record::ENTRY_OWN_TOKEN] = record::NO_TOKEN;
            }
            vec![words]
        };
        vec![record(5, 1), record(7, 2)]
    }

    #[test]
    fn what_is_kept_behind_the_end_of_a_text_does_not_count() {
        assert_eq!(counted(8, 8, Some(2)), (2, 2));
        assert_eq!(counted(8, 5, Some(5)), (5, 5));
        // The target's own token ended it.
        assert_eq!(counted(8, 5, Some(6)), (6, 5));
        assert_eq!(counted(8, 8, Some(9)), (8, 8));
        assert_eq!(counted(8, 5, None), (6, 5));
    }

    #[test]
    fn records_that_rounds_can_have_written_are_sound() {
        assert!(are_sound(&records(), GAMMA, 5, VOCAB));
        assert!(!are_sound(&records(), GAMMA, 6, VOCAB));
        assert!(!are_sound(&records(), GAMMA + 1, 5, VOCAB));
    }

    #[test]
    fn one_damaged_word_is_found_in_whichever_record() {
        let last = record::HEAD + record::ENTRY;
        let damages = [
            (record::LENGTH, 6),
            (record::GAMMA, 3),
            (record::ACCEPTED, 0),
            (record::ACCEPTED, 3),
            (record::ACCEPTED, u32::MAX),
            (record::IS_BONUS, 2),
            (record::NEW_TOKEN, 8),
            (last + record::ENTRY_TOKEN, 8),
            (last + record::ENTRY_OWN_TOKEN, 8),
        ];
        for round in 0..2 {
            for (word, value) in damages {
                let mut records = records();
                records[round][0][word] = value;
                // In the first record a replaced token is not a bonus, whatever else stands there.
                let harmless = round == 0 && word == record::IS_BONUS;
                let sound = are_sound(&records, GAMMA, 5, VOCAB);
                assert_eq!(sound, harmless, "round {round}, word {word}: {value}");
            }
        }
    }
}
