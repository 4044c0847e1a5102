//! What a link says of the scenes besides the Stage: what Couplings and Proof show and test, and
//! what Speed measures and its formula is asked.

use couplet_playback::without_idle_noughts;
use couplet_protocol::{MAX_GAMMA, MAX_SEED, Mistake, Rule, SpeedRequest};
use couplet_speculation::input::normalised;

use super::Pairs;
use super::view::name;

/// Keys of this part of a link.
pub const KEYS: [&str; 8] = [
    "example", "part", "own", "throw", "test", "mistakes", "terms", "sweep",
];

/// The most tokens that distributions may have which a link holds or a person types.
pub const MOST_TOKENS: usize = 128;

/// The longest name of a token in a link, in letters.
const LONGEST_TOKEN: usize = 24;
/// The largest weight that is read.
const LARGEST: f64 = u32::MAX as f64;

/// What the open scene shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exhibits {
    /// Name of the example that Couplings or Proof shows.
    pub example: Option<String>,
    /// How much of Proof's argument is drawn, 1 to 3.
    pub part: Option<usize>,
    /// Distributions that are no example, as [`OwnPair::print`] writes them.
    pub own: Option<String>,
    /// Seed of Couplings' throws, and which of them is drawn.
    pub throw: Option<(u64, u32)>,
    /// What Proof tests live.
    pub test: Option<LiveTest>,
    /// The mistakes that Proof makes.
    pub mistakes: Vec<Mistake>,
    /// α, c and what a further token adds to v in Speed's formula, in hundredths.
    pub terms: Option<[u8; 3]>,
    /// What Speed is to measure.
    pub sweep: Option<Sweep>,
}

/// Which measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// The longest draft, from 1 to [`MAX_GAMMA`]; every shorter one is timed too.
    pub longest: u32,
    /// Pairs of runs for each, from [`SpeedRequest::FEWEST_PAIRS`] to
    /// [`SpeedRequest::MOST_PAIRS`].
    pub pairs: u32,
    /// Whether the engine's own choice is timed too.
    pub auto: bool,
}

/// A rule under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveTest {
    /// Which.
    pub rule: Rule,
    /// Tokens drafted per round.
    pub gamma: u32,
    /// Seed of the texts.
    pub seed: u64,
}

/// Two distributions that are no example.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnPair {
    /// What the tokens are called.
    pub tokens: Vec<String>,
    /// The draft's probabilities. Shape: (tokens).
    pub draft: Vec<f64>,
    /// The target's probabilities. Shape: (tokens).
    pub target: Vec<f64>,
}

impl OwnPair {
    /// Both lists in millionths, to six digits, then the tokens: `500000,500000;200000,800000;a b`.
    /// `None` where there are too many tokens for a link.
    pub fn print(&self) -> Option<String> {
        let fits = (2..=MOST_TOKENS).contains(&self.tokens.len());
        let list = |probs: &[f64]| {
            let millionths = probs.iter().map(|prob| six_digits(1e6 * prob));
            millionths.collect::<Vec<_>>().join(",")
        };
        // Spaces part the tokens; inside one they are of the kind that parts nothing.
        let plain = |token: &String| {
            let token: String = token.trim().chars().take(LONGEST_TOKEN).collect();
            token.replace(char::is_whitespace, "\u{a0}")
        };
        let tokens: Vec<String> = self.tokens.iter().map(plain).collect();
        let named = tokens.iter().all(|token| !token.is_empty());
        (fits && named).then(|| {
            let (draft, target) = (list(&self.draft), list(&self.target));
            format!("{draft};{target};{}", tokens.join(" "))
        })
    }

    /// Reads what [`OwnPair::print`] writes, and other weights up to [`LARGEST`].
    pub fn parse(text: &str) -> Option<Self> {
        let (draft, rest) = text.split_once(';')?;
        let (target, tokens) = rest.split_once(';')?;
        let list = |text: &str| {
            let weights: Option<Vec<f64>> = text
                .split(',')
                .map(|word| {
                    word.parse()
                        .ok()
                        .filter(|weight| (0.0..=LARGEST).contains(weight))
                })
                .collect();
            normalised(&weights?).ok()
        };
        let tokens: Vec<String> = tokens.split(' ').map(str::to_owned).collect();
        let (draft, target) = (list(draft)?, list(target)?);
        let count = tokens.len();
        let fit = |token: &String| (1..=LONGEST_TOKEN).contains(&token.chars().count());
        let sound = (2..=MOST_TOKENS).contains(&count)
            && (draft.len(), target.len()) == (count, count)
            && tokens.iter().all(fit);
        sound.then_some(Self {
            tokens,
            draft,
            target,
        })
    }
}

/// A number to six digits, without exponent: what is possible must not become impossible in a link.
fn six_digits(value: f64) -> String {
    let digits = 5 - value.max(1e-9).log10().floor() as i32;
    let digits = digits.clamp(0, 12) as usize;
    without_idle_noughts(&format!("{value:.digits$}")).to_owned()
}

/// Reads the value of one of [`KEYS`]; `None` if it cannot be that.
pub fn read_one(exhibits: &mut Exhibits, key: &str, value: &str) -> Option<()> {
    match key {
        "example" => exhibits.example = Some(name(value)?),
        "part" => {
            let part = value.parse::<usize>().ok();
            exhibits.part = Some(part.filter(|part| (1..=3).contains(part))?);
        }
        "own" => {
            OwnPair::parse(value)?;
            exhibits.own = Some(value.to_owned());
        }
        "throw" => {
            let (seed, trial) = value.split_once('.')?;
            exhibits.throw = Some((read_seed(seed)?, trial.parse().ok()?));
        }
        "test" => {
            let mut words = value.split('.');
            let rule = words.next()?;
            let test = LiveTest {
                rule: Rule::named(rule)?,
                gamma: words.next()?.parse().ok().filter(|gamma| *gamma > 0)?,
                seed: read_seed(words.next()?)?,
            };
            exhibits.test = words.next().is_none().then_some(test);
            exhibits.test?;
        }
        "mistakes" => {
            let wanted: Vec<&str> = value.split('.').collect();
            let known = Mistake::ALL.into_iter();
            exhibits.mistakes = known
                .filter(|mistake| wanted.contains(&mistake.name()))
                .collect();
            return (wanted.len() == exhibits.mistakes.len()).then_some(());
        }
        "terms" => {
            let words: Option<Vec<u8>> = value.split('.').map(|word| word.parse().ok()).collect();
            let terms: [u8; 3] = words?.try_into().ok()?;
            let inside = terms[0] <= 100 && terms[1] <= 100 && terms[2] <= 200;
            exhibits.terms = inside.then_some(terms);
            exhibits.terms?;
        }
        "sweep" => {
            let words: Option<Vec<u32>> = value.split('.').map(|word| word.parse().ok()).collect();
            let [longest, pairs, auto] = words?.try_into().ok()?;
            let inside = (1..=MAX_GAMMA).contains(&longest)
                && (SpeedRequest::FEWEST_PAIRS..=SpeedRequest::MOST_PAIRS).contains(&pairs)
                && auto <= 1;
            exhibits.sweep = inside.then_some(Sweep {
                longest,
                pairs,
                auto: auto == 1,
            });
            exhibits.sweep?;
        }
        _ => {}
    }
    Some(())
}

fn read_seed(text: &str) -> Option<u64> {
    text.parse().ok().filter(|seed| *seed <= MAX_SEED)
}

/// As pairs; what is as usual is not named.
pub fn print(exhibits: &Exhibits) -> Pairs {
    let mut pairs = Pairs::new();
    let mut add = |key: &str, value: String| pairs.push((key.to_owned(), value));
    if let Some(example) = &exhibits.example {
        add("example", example.clone());
    }
    if let Some(part) = exhibits.part {
        add("part", part.to_string());
    }
    if let Some(own) = &exhibits.own {
        add("own", own.clone());
    }
    if let Some((seed, trial)) = exhibits.throw {
        add("throw", format!("{seed}.{trial}"));
    }
    if let Some(LiveTest { rule, gamma, seed }) = exhibits.test {
        add("test", format!("{}.{gamma}.{seed}", rule.name()));
    }
    if !exhibits.mistakes.is_empty() {
        let names = exhibits.mistakes.iter().map(|mistake| mistake.name());
        add("mistakes", names.collect::<Vec<_>>().join("."));
    }
    if let Some(terms) = exhibits.terms {
        add("terms", terms.map(|term| term.to_string()).join("."));
    }
    if let Some(sweep) = exhibits.sweep {
        let numbers = [sweep.longest, sweep.pairs, u32::from(sweep.auto)];
        add("sweep", numbers.map(|number| number.to_string()).join("."));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_come_back_from_a_link() {
        let pair = OwnPair {
            tokens: ["a", ",", "all others", "↵"].map(str::to_owned).to_vec(),
            draft: vec![0.5, 0.25, 0.125, 0.125],
            target: vec![0.0, 1.0, 0.0, 0.0],
        };
        let text = pair.print().unwrap();
        assert_eq!(
            text,
            "500000,250000,125000,125000;0,1000000,0,0;a , all\u{a0}others ↵"
        );
        let back = OwnPair::parse(&text).unwrap();
        assert_eq!((&back.draft, &back.target), (&pair.draft, &pair.target));
        assert_eq!(back.print(), Some(text));
        // Thirds are no millionths, and sum to 1 all the same.
        let thirds = OwnPair {
            tokens: ["a", "b", "c"].map(str::to_owned).to_vec(),
            draft: vec![1.0 / 3.0; 3],
            target: vec![1.0 / 3.0; 3],
        };
        let back = OwnPair::parse(&thirds.print().unwrap()).unwrap();
        assert!((back.draft.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // What hardly ever comes still does.
        let rare = OwnPair {
            tokens: ["a", "b"].map(str::to_owned).to_vec(),
            draft: vec![1e-9, 1.0 - 1e-9],
            target: vec![0.001_959_327, 0.998_040_673],
        };
        let text = rare.print().unwrap();
        assert_eq!(text, "0.001,1000000;1959.33,998041;a b");
        assert!(OwnPair::parse(&text).unwrap().draft[0] > 0.9e-9);
    }

    #[test]
    fn weights_need_be_neither_whole_nor_of_one_sum() {
        let own = OwnPair::parse("0.5,0.5;1,3;a b").unwrap();
        assert_eq!((own.draft, own.target), (vec![0.5, 0.5], vec![0.25, 0.75]));
    }

    #[test]
    fn distributions_that_are_none_are_refused() {
        let long = "x".repeat(LONGEST_TOKEN + 1);
        for text in [
            "",
            ";;",
            "1;1;a",
            "1,1;1,1",
            "1,1;1,1;a",
            "1,1;1,1;a ",
            "1,1;1,1;a b c",
            "1,1;1;a b",
            "0,0;1,1;a b",
            "-1,2;1,1;a b",
            "1,x;1,1;a b",
            "1,nan;1,1;a b",
            "1,inf;1,1;a b",
            "1,1e300;1,1;a b",
            &format!("1,1;1,1;a {long}"),
            &format!("{};1,1;a b", "1,".repeat(4_000)),
        ] {
            assert_eq!(OwnPair::parse(text), None, "{text}");
        }
    }
}
