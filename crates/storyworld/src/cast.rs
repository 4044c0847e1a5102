//! Who is in a story: kinds of heroes, names, and how a story introduces them.

use crate::teller::Teller;

/// He or she.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gender {
    /// She.
    Female,
    /// He.
    Male,
}

/// What somebody is and where somebody like that lives.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The noun without an article.
    pub noun: &'static str,
    /// The home, with its preposition.
    pub home: &'static str,
    /// Set where the noun says it.
    pub gender: Option<Gender>,
}

/// Somebody with a name.
#[derive(Clone, Copy, Debug)]
pub struct Person {
    /// The name.
    pub name: &'static str,
    /// What the person is.
    pub kind: Kind,
    /// Decides the pronouns.
    pub gender: Gender,
}

impl Person {
    /// They, them and their, for this person.
    pub fn pronouns(&self) -> (&'static str, &'static str, &'static str) {
        match self.gender {
            Gender::Female => ("she", "her", "her"),
            Gender::Male => ("he", "him", "his"),
        }
    }
}

const fn kind(noun: &'static str, home: &'static str) -> Kind {
    Kind {
        noun,
        home,
        gender: None,
    }
}

const fn girl(noun: &'static str, home: &'static str) -> Kind {
    Kind {
        noun,
        home,
        gender: Some(Gender::Female),
    }
}

const fn boy(noun: &'static str, home: &'static str) -> Kind {
    Kind {
        noun,
        home,
        gender: Some(Gender::Male),
    }
}

/// Children and animals on the ground; nobody here can fly.
pub const YOUNG: &[Kind] = &[
    girl("girl", "in a small house by the sea"),
    girl("girl", "in a yellow house on a hill"),
    girl("girl", "at the end of a long street"),
    girl("girl", "on a farm"),
    boy("boy", "in a small house by the sea"),
    boy("boy", "above a bakery"),
    boy("boy", "next to the railway station"),
    boy("boy", "on a farm"),
    girl("princess", "in a very small castle"),
    boy("prince", "in a castle with a hundred stairs"),
    kind("rabbit", "under a hedge"),
    kind("mouse", "behind a clock"),
    kind("mouse", "under the kitchen floor"),
    kind("hedgehog", "in a pile of leaves"),
    kind("fox", "at the edge of the forest"),
    kind("bear", "in a warm cave"),
    kind("badger", "under an old oak tree"),
    kind("frog", "by a green pond"),
    kind("turtle", "by a quiet lake"),
    kind("pig", "on a farm"),
    kind("lamb", "on a green hill"),
    kind("donkey", "behind an old mill"),
    kind("puppy", "in a red kennel"),
    kind("kitten", "in a basket by the fire"),
    kind("elephant", "near a wide river"),
    kind("lion", "in the tall grass"),
    kind("zebra", "in the tall grass"),
    kind("penguin", "on a big block of ice"),
    kind("mole", "under a garden"),
    kind("otter", "beside a fast river"),
    kind("beaver", "in a house made of sticks"),
    kind("hippo", "in a muddy river"),
    kind("kangaroo", "in a dry and sunny land"),
    kind("panda", "in a forest of bamboo"),
    kind("camel", "at the edge of the desert"),
    kind("pony", "in a stable"),
];

/// Heroes out of fairy tales.
pub const FANTASTIC: &[Kind] = &[
    kind("robot", "in a workshop"),
    kind("robot", "in the attic of a school"),
    kind("dragon", "in a cave full of teapots"),
    kind("ghost", "in an empty library"),
    girl("witch", "in a crooked house"),
    boy("wizard", "in a tower without a door"),
    kind("giant", "behind the mountains"),
    kind("elf", "inside a hollow tree"),
    kind("troll", "under a stone bridge"),
    kind("gnome", "in a house with a mushroom roof"),
    kind("scarecrow", "in a field of corn"),
    kind("monster", "under a bed"),
    kind("dwarf", "inside a hill"),
    kind("inventor", "in a shed full of wheels"),
    kind("unicorn", "in a misty valley"),
];

/// Grown people with something to do.
pub const WORKERS: &[Kind] = &[
    kind("baker", "in a narrow street"),
    kind("farmer", "on a windy farm"),
    kind("sailor", "on an old boat"),
    kind("gardener", "behind a garden wall"),
    kind("tailor", "above a little shop"),
    kind("miller", "in a windmill"),
    kind("clockmaker", "in a house full of clocks"),
    kind("painter", "in a room full of colours"),
    kind("shepherd", "in a hut on a hill"),
    kind("lighthouse keeper", "in a lighthouse"),
    kind("postman", "next to the post office"),
    kind("teacher", "beside the school"),
];

const GIRLS: &[&str] = &[
    "Mia", "Lily", "Anna", "Rosa", "Ella", "Nora", "Tilda", "Emma", "Lucy", "Clara", "Ida",
    "Olive", "Poppy", "Maya", "Zoe", "Hanna", "Lena", "Ruby", "Daisy", "Molly", "Nina", "Pearl",
    "Wanda", "Yara", "Amina", "Sofia", "Bella", "Frida", "Greta", "Juna", "Kiki", "Lotta", "Mimi",
    "Penny", "Sally", "Tessa", "Vera", "Ivy", "Hazel", "Dora",
];

const BOYS: &[&str] = &[
    "Tom", "Ben", "Max", "Leo", "Sam", "Tim", "Finn", "Oscar", "Otto", "Jack", "Paul", "Emil",
    "Hugo", "Felix", "Milo", "Noah", "Theo", "Anton", "Bruno", "Carl", "Dan", "Eddie", "Fred",
    "Gus", "Henry", "Ivan", "Jonas", "Kasper", "Lars", "Moritz", "Ned", "Omar", "Pip", "Rafi",
    "Sid", "Toby", "Umar", "Victor", "Walter", "Yusuf",
];

/// Somebody of one of the kinds, with a name that `taken` does not have.
fn somebody(teller: &mut Teller, kinds: &[Kind], taken: Option<&Person>) -> Person {
    loop {
        let kind = teller.pick(kinds);
        let gender = kind.gender.unwrap_or(match teller.below(2) {
            _ if kind.noun == "postman" => Gender::Male,
            0 => Gender::Female,
            _ => Gender::Male,
        });
        let name = match gender {
            Gender::Female => teller.pick(GIRLS),
            Gender::Male => teller.pick(BOYS),
        };
        // Two of the same noun could not be told apart by "the fox".
        if taken.is_none_or(|person| person.name != name && person.kind.noun != kind.noun) {
            return Person { name, kind, gender };
        }
    }
}

/// Chooses the hero and fixes the facts that every plot uses: names, home, trait, weather, hour.
pub fn hero(teller: &mut Teller, groups: &[&[Kind]]) -> Person {
    let group = teller.pick(groups);
    let person = somebody(teller, group, None);
    teller.introduce(["hero", "kind", "they", "them", "their"], &person);
    teller.set("home", person.kind.home);
    let size = if person.kind.noun == "giant" {
        "[young|very young]"
    } else {
        "[little|little|small|young|tiny]"
    };
    if WORKERS.iter().any(|worker| worker.noun == person.kind.noun) {
        teller.set("size", "[kind|cheerful|busy|round|tall|merry]");
    } else {
        teller.set("size", size);
    }
    teller.set(
        "weather",
        "[sunny|bright|windy|warm|cloudy|fine|cool|quiet]",
    );
    teller.set("hour", "[morning|afternoon]");
    teller.set(
        "one_day",
        "[One {weather} {hour},|One day,|One {weather} {hour},|One {hour},|Early one {weather} {hour},|\
         Then one {weather} {hour},|Then one day,|It was {a weather} {hour} when]",
    );
    teller.set(
        "town",
        "[Pumblebrook|Little Dapple|Windhill|Teaspoon Bay|Mossy Hollow|Upper Puddle|Old Harbour|\
         Honeyfield|Seven Stairs|Greenwater|Snailbridge|Applewick|Lantern Hill|Crumbleton|\
         Saltmarsh|Buttonwood]",
    );
    person
}

/// Chooses a friend who differs from the hero in name and kind.
pub fn friend(teller: &mut Teller, hero: &Person) -> Person {
    let person = somebody(teller, YOUNG, Some(hero));
    teller.introduce(["friend", "fkind", "fthey", "fthem", "ftheir"], &person);
    // "Anna the girl" would sound odd where "Anna the fox" does not.
    teller.set(
        "friend_full",
        match person.kind.noun {
            "girl" | "boy" => "{friend} from next door",
            _ => "{friend} the {fkind}",
        },
    );
    person
}

/// Introduces the hero in the first sentence or two.
pub fn opening(teller: &mut Teller, habit: &str) {
    teller.set("habit", habit);
    teller.say(
        "[Once upon a time, there [was|was|lived] {a size} {kind} named {hero}. {They} {habit}.|\
         Once upon a time, {a size} {kind} named {hero} lived {home}. {They} {habit}.|\
         Once upon a time, in the town of {town}, there lived {a size} {kind} named {hero}. {They} {habit}.|\
         There was once {a size} {kind} who {habit}. {Their} name was {hero}.|\
         Once there was {a size} {kind} named {hero} who lived {home}. {They} {habit}.|\
         Long ago, near the town of {town}, there was {a size} {kind} named {hero}, who {habit}.|\
         {Hero} was {a size} {kind} who lived {home}. {They} {habit}.|\
         Near {town} there lived {a size} {kind} called {hero}. {They} {habit}.|\
         This is the story of {hero}, {a size} {kind} who {habit}.|\
         Nobody in {town} could forget {hero}, the {size} {kind} who {habit}.|\
         Not far from {town} lived {hero}, {a size} {kind}. {They} {habit}.]",
    );
}
