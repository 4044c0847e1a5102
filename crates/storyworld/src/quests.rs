//! Plots about something to be done: a cake, a cure, a treasure, the moon, a seed.

use crate::cast::{FANTASTIC, WORKERS, YOUNG, friend, hero, opening};
use crate::teller::Teller;

/// A goat eats what the cake needs, and the cake turns out better.
pub fn baking(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG, FANTASTIC]);
    friend(teller, &person);
    teller.facts(
        ["dish", "missing", "instead", "result"],
        &[
            [
                "cake",
                "all the sugar",
                "sweet pears",
                "It was soft and juicy and tasted of summer",
            ],
            [
                "pie",
                "all the apples",
                "a big pumpkin",
                "It was as golden as the sun",
            ],
            [
                "soup",
                "all the carrots",
                "a handful of peas",
                "It was green like a meadow in May",
            ],
            [
                "bread",
                "all the raisins",
                "walnuts",
                "It went crunch at every bite",
            ],
            [
                "pudding",
                "all the chocolate",
                "red berries",
                "It was as pink as a flamingo",
            ],
            [
                "stew",
                "all the potatoes",
                "a string of dumplings",
                "It was so thick that the spoon stood up in it",
            ],
            [
                "pizza",
                "all the cheese",
                "seven kinds of mushrooms",
                "It smelled like the whole forest",
            ],
        ],
    );
    teller.set(
        "party",
        "[the summer party|the harvest party|{friend}'s birthday|the town picnic|the spring fair]",
    );
    opening(
        teller,
        "[loved to cook|made the best {dish} in town|was always in the kitchen]",
    );
    teller.say("[Tomorrow was {party}, and {hero} wanted to make a very special {dish}.|{Hero} had promised to make a {dish} for {party}.|For {party}, {hero} wanted to make the biggest {dish} of all.] [?{They} tied on an apron and sang.|Everything was ready on the table.]");
    teller.paragraph();
    teller.say("But the window was open, and [the neighbour's goat|an old goat|a goat with a white beard] [looked in|came along|smelled something good]. When {hero} turned around [to fetch a spoon|to wash the pot|to light the stove], munch, munch, the goat ate {missing}. [<Stop!> cried {hero}. But the goat only licked her lips.|<Give it back!> shouted {hero}. The goat said nothing, because her mouth was full.|<That was for the party!> cried {hero}. <Baa,> said the goat.]");
    teller.say("{Hero} ran to the shop, but it was [closed|already shut]. [?{They} sat down on the step and sighed.|<Now there will be no {dish},> {they} said sadly.|A tear fell into the flour.]");
    teller.paragraph();
    teller.say("[Then {friend_full} came by.|Just then {friend_full} knocked at the door.|{Friend_full} looked over the fence.] {Hero} told {fthem} about the goat. [?{Friend} tried not to laugh.|{Friend} thought for a moment.] <I have {instead} at home,> {fthey} said. [<Could we use that?>|<Why not try it?>|<Would that do?>]");
    teller.say("[?<In a {dish}? Nobody has ever done that,> said {hero}.|<That is a strange idea,> said {hero}. <I like it!>|{Hero} was not sure, but what else could {they} do?] So they [chopped and stirred|mixed and stirred|worked side by side], but first they shut the window.");
    teller.paragraph();
    teller.say("At {party}, everybody took a bite. [?Nobody spoke.|It was very quiet.|{Hero} held {their} breath.] {Result}. <[More, please|This is the best {dish} in the world]!> they all [cried|said]. {Hero} pointed at {friend}. {Friend} pointed at {hero}.");
    teller.say("[And both of them pointed at the goat, who was eating the tablecloth.|And the goat? She got a piece too, a small one.|Sometimes a good idea begins with a bad goat.|And under the table somebody said, <Baa.>]");
}

/// A ruler has a small trouble; great people fail, and a simple thing helps.
pub fn cold_feet(teller: &mut Teller) {
    hero(teller, &[WORKERS, FANTASTIC, YOUNG]);
    teller.facts(
        ["ruler", "rthey", "rthem", "rtheir"],
        &[
            ["king", "he", "him", "his"],
            ["queen", "she", "her", "her"],
            ["emperor", "he", "him", "his"],
            ["duchess", "she", "her", "her"],
        ],
    );
    teller.facts(
        ["trouble", "try1", "try2", "cure", "after"],
        &[
            [
                "had cold feet, day and night",
                "put {rtheir} feet in hot soup, but the soup got cold and so did the feet",
                "lit a fire under the throne, but it only burned the cushion",
                "two woollen socks",
                "the toes were warm for the first time in seven years",
            ],
            [
                "could not fall asleep",
                "read the law book aloud, but it was so boring that only the guards slept",
                "brought a hundred pillows, but then nobody could find the {ruler}",
                "a bedtime story about a sleepy bear",
                "before the bear was in bed, the {ruler} was snoring",
            ],
            [
                "had the hiccups",
                "jumped out of a cupboard, but the {ruler} only said hic",
                "told the {ruler} to stand on {rtheir} head, but the crown rolled away",
                "a glass of water, to be drunk in tiny sips",
                "the hiccups were gone, and the quiet was wonderful",
            ],
            [
                "had forgotten how to laugh",
                "told a joke of nine pages, but it was not funny",
                "tickled the {ruler} with a feather, but the {ruler} only sneezed",
                "a puppy with a sock on its head",
                "the {ruler} laughed until the crown fell off",
            ],
            [
                "was bored all day long",
                "gave the {ruler} a golden ball, but it was too heavy to throw",
                "danced in a pink coat, but that was boring too",
                "an old spade, and showed {rthem} how to plant beans",
                "soon the {ruler} had mud up to the knees and would not come in for dinner",
            ],
            [
                "was always in a bad mood in the morning",
                "played the trumpet at six, but that made it worse",
                "painted the sun on the ceiling, but it dripped",
                "a cup of hot chocolate, and said good morning",
                "the {ruler} smiled, because nobody had ever just said good morning",
            ],
        ],
    );
    opening(
        teller,
        "[lived a simple life|had a good heart and big pockets|had never been to the castle]",
    );
    teller.say("In the castle on the hill there was {a ruler} who {trouble}. [<Whoever helps me may make a wish,> said the {ruler}.|<Will nobody help me?> cried the {ruler}.|The whole castle was upset about it.]");
    teller.paragraph();
    teller.say("First came [the doctor|the wisest man in the land|the chief minister]. He {try1}.");
    teller.say("Then came [a famous magician|the general|a professor with two hats]. He {try2}.");
    teller.say("[?<Next!> shouted the {ruler}.|The {ruler} groaned.|<Is there nobody else?> asked the {ruler}.|Things were worse than before.]");
    teller.paragraph();
    teller.say("Then {hero} came to the gate. [?<You?> said the guard. <What can {a kind} do?>|The guard laughed. <{A kind}!> he said. <What next?>|The guards looked down at {them} and smiled.] [<I can try,> said {hero}.|<It is only a small idea,> said {hero}.|<Trying costs nothing,> said {hero}.] And {they} brought the {ruler} {cure}.");
    teller.say("[?Everybody laughed at first.|<Is that all?> asked the {ruler}.|Nobody had ever thought of that.|The ministers shook their heads.] But {after}.");
    teller.paragraph();
    teller.set("wish", "[a holiday for everyone in town|a day without school|cake for the whole town|a garden that is open to everybody|a bench with a nice view|that the guard says please]");
    teller.say("[<You may make a wish,> said the {ruler}.|<What would you like?> asked the {ruler}. <Gold? A horse?>|<Half of my land is yours,> said the {ruler}. <No, thank you,> said {hero}. <That is too much to sweep.>] {Hero} thought about it and wished for {wish}.");
    teller.say("[And so it was done.|And that is what {they} got.] [?Since then, the {ruler} and {hero} have tea together on Sundays.|Big troubles sometimes need only small things.|And if you pass the castle, you may hear them laughing.]");
}

/// A treasure map is eaten, but the rhyme on it was learned by heart.
pub fn map(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG, FANTASTIC]);
    friend(teller, &person);
    teller.facts(
        ["one", "two", "three"],
        &[
            [
                "the crooked tree",
                "the stone that looks like a bear",
                "the little waterfall",
            ],
            [
                "the broken fence",
                "the well without a bucket",
                "the gate full of roses",
            ],
            ["the red gate", "the hill with two tops", "the oldest oak"],
            [
                "the sleeping dog",
                "the bridge with three stones",
                "the tower without a roof",
            ],
            [
                "the empty barn",
                "the pond of the fat frogs",
                "the hollow log",
            ],
        ],
    );
    teller.facts(
        ["chest", "gold"],
        &[
            [
                "a rusty box",
                "a hundred marbles, and every one had a different colour",
            ],
            [
                "an old trunk",
                "hats, long coats and wooden swords, enough to play pirates for a year",
            ],
            [
                "a small chest",
                "seeds in paper bags, and a note: Plant me and share me",
            ],
            [
                "a big jar",
                "letters from two friends who had played here long ago",
            ],
            [
                "an iron box",
                "a ship in a bottle, so fine that they did not dare to breathe",
            ],
            [
                "a wooden box",
                "an empty picture frame and a note: The treasure is the one beside you",
            ],
        ],
    );
    teller.set("finder", "[in an old book|under a loose board|in a bottle|in the pocket of an old coat|behind a picture]");
    opening(
        teller,
        "[dreamed of finding a treasure|wanted to be a pirate|loved secrets]",
    );
    teller.say("{one_day} {they} found a treasure map {finder}. It said: Go past {one}, go past {two}, and go to {three}.");
    teller.say("{They} read it three times. {They} ran to {their} friend {friend_full}. [<Will you come with me?> {they} asked. <Of course!> said {friend}.|<We are going to be rich!> {they} cried. <Rich in what?> asked {friend}.|<Get your boots,> {they} said. <We are going on an adventure.>]");
    teller.paragraph();
    teller.say("[They had not gone far when they met a goat.|At the first corner stood a goat.|On the road they met a goat.] [<Good morning,> said the goat, and ate the map.|The goat looked at the map, and the map was gone. Gulp.|The goat liked the map so much that she ate it.] [<That was our map!> cried {friend}.|<Spit it out!> shouted {friend}. But goats do not spit.|<It is all over,> said {friend}.] [?<A bit dry,> said the goat.|The goat burped politely.|The goat wagged her tail.]");
    teller.say("{Hero} closed {their} eyes. [<Wait,> {they} said. <I remember the words!>|<The map is in the goat,> {they} said. <But the words are in my head!>|<I think I still know it,> {they} said.]");
    teller.paragraph();
    teller.say("They went past {one}. They went past {two}. And they came to {three}. [They dug until the spade went clonk.|{Hero} dug, then {friend} dug, then {hero} dug again. Clonk!|They dug a hole as deep as a bathtub. Clonk!]");
    teller.say("It was {chest}. [?Slowly, slowly they opened it.|They looked at each other and opened it.] There was no gold inside. They found {gold}.");
    teller.say("[?<This is better than gold,> said {friend}.|On the way home, they sang so loudly that the birds sang too.|They sat there until the stars came out.] [And the goat? She ate the lid.|Since then they have learned every map by heart.]");
}

/// Somebody wants to have the moon and gets it in another way.
pub fn moon(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG, FANTASTIC, WORKERS]);
    friend(teller, &person);
    teller.set(
        "vessel",
        "[bucket|bowl|bathtub|tin pot|barrel|soup plate|wash tub]",
    );
    teller.facts(
        ["sky", "shine"],
        &[
            ["moon", "as round as a pancake"],
            ["evening star", "as bright as a diamond"],
            ["moon", "as yellow as butter"],
            ["moon", "as thin as a slice of melon"],
            ["brightest star", "as clear as a bell"],
        ],
    );
    teller.set("reason", "[because the nights were so dark|to have a light for reading|because it looked so lonely up there|to show it to {their} friends|because it was so beautiful|to put it on the shelf next to the clock]");
    opening(
        teller,
        "[looked at the sky every night|could not go to sleep without looking at the sky|had a window in the roof]",
    );
    teller.say("[One evening|One night|One clear evening|One quiet night] the {sky} was {shine}. [{Hero} wanted to bring it home, {reason}.|And {hero} decided to catch it, {reason}.]");
    teller.paragraph();
    teller.say("First {they} climbed [on the roof|on a tower of chairs], but it was not high enough. Then {they} [threw a rope, but it came down on {their} own head|took a butterfly net, but caught only a bat, who was not amused|called and whistled, but the {sky} did not come|built a ladder of pillows, but it was too soft]. [?<You are too far away!> {they} shouted.|<Just a little more,> {they} panted.|Bump! Down {they} fell into the hay.]");
    teller.say("[{Friend_full} was watching.|Along came {friend_full}.|{Their} neighbour {friend_full} heard the noise.] <I am catching the {sky},> said {hero}. [?{Friend} did not laugh at all.|<I see,> said {friend}, and thought about it.]");
    teller.paragraph();
    teller.say("[Then {friend} fetched|Then {friend} went home and came back with|{Friend} smiled and brought] {a vessel} and filled it with water. [<Sit down,> {fthey} said. <And be very still.>|<Now we wait until the water sleeps,> said {friend}.|<Shh,> {fthey} said. <Do not touch it.>] The water trembled, and then it was smooth.");
    teller.say("[?And there it was!|<Oh!> said {hero}.] The {sky} was in the {vessel}, {shine}. [?<It came to me!> whispered {hero}.|<Now I have it,> said {hero} softly.] [<And look up,> said {friend}. <Everybody else has it too.>|<And it is still in the sky,> said {friend}. <So nobody has to miss it.>]");
    teller.paragraph();
    teller.say("They sat by the {vessel} for a long time [and drank cocoa|under one blanket|and said nothing, because nothing was missing|and told each other stories]. [?A frog came and looked too.|Once {hero} sneezed, and the {sky} danced.|A leaf fell in, and the {sky} wobbled and laughed.|]");
    teller.say("[In the morning it was gone. <It will come back,> said {hero}, and filled the {vessel} again.|The most beautiful things belong to everyone.|And from then on, {a vessel} stood in front of the house every night.|<Good night, {friend},> said {hero}. <Good night, {sky}.>]");
}

/// A seed takes its time.
pub fn seed(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG, FANTASTIC, WORKERS]);
    friend(teller, &person);
    teller.facts(
        ["plant", "share"],
        &[
            ["sunflower", "in autumn it gave seeds to every bird in town"],
            [
                "apple tree",
                "there was an apple for everyone, and two for the donkey",
            ],
            [
                "pumpkin",
                "it was so big that the whole street ate soup for a week",
            ],
            ["bean", "it climbed up to the window and looked in"],
            [
                "melon",
                "it took four people to carry it and twenty to eat it",
            ],
            [
                "cherry tree",
                "in spring it looked like a cloud that had come to stay",
            ],
            ["rose bush", "the whole street smelled sweet"],
            [
                "tomato",
                "the first one was as red as a fire engine and tasted of sunshine",
            ],
        ],
    );
    teller.set("giver", "[an old woman|the gardener next door|a travelling pedlar|{their} grandmother|a bird with a long beak|a man with a green hat]");
    opening(
        teller,
        "[could not wait for anything|wanted everything right now|was always in a hurry]",
    );
    teller.say("{one_day} {giver} gave {them} a small brown seed. [<Give it earth, water and time,> were the words that came with it.|<It needs earth, water and time,> {they} was told.] {Hero} put the seed into [the ground|the earth behind the house] and gave it water. <Now grow!> {they} said.");
    teller.paragraph();
    teller.say("The next morning {hero} ran out to look. Nothing. [?<Grow!> {they} shouted. The seed did not hear.|<Are you asleep?> {they} asked. The seed did not answer.] The morning after, {hero} looked again. Nothing. [?{They} sang to it. Nothing.|{They} read it a book about big trees. Nothing.|{They} gave it a biscuit. Nothing.]");
    teller.say("[<This seed is broken!> said {hero}, and wanted to dig it up.|{Hero} fetched a spade. <I will dig it up,> {they} said.|On the third day, {they} wanted to dig it up.] [<Stop!> cried {their} friend {friend_full}. <It is working hard down there. You just cannot see it.>|<Do not do that!> cried {their} friend {friend_full}. <Would you like to be woken up while you are growing?>|<Wait!> said {their} friend {friend_full}. <It needs time. Let us wait together.>]");
    teller.paragraph();
    teller.say("So they waited. [They played cards and waited.|They told jokes and waited.|They painted the fence and waited.] The rain came and the sun came. [?They counted the clouds and waited.|They made a kite and waited.|They ate plum cake and waited.] And one morning there was a tiny green tip. [<There it is!> cried {hero}.|<Good morning,> said {hero} very softly.|<Come and look!> cried {hero}.]");
    teller.say("It grew and grew and became a [wonderful|big|beautiful] {plant}, and {share}. [?Good things need time.|And {hero}? {They} had learned to wait, at least until lunch.|{Hero} kept one seed and gave it to a child who could not wait for anything.|<We waited well,> said {friend}.]");
}

/// A show goes wrong in a way that makes it better.
pub fn show(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG, FANTASTIC]);
    friend(teller, &person);
    teller.facts(
        ["role", "prop", "wrong", "joke"],
        &[
            [
                "a knight",
                "a paper sword",
                "the sword bent in the middle like a banana",
                "The dragon may eat it for dessert",
            ],
            [
                "a tree",
                "forty green leaves",
                "all the leaves fell off at once",
                "Autumn came early this year",
            ],
            [
                "the sun",
                "a big yellow hat",
                "the hat slid down over {their} eyes",
                "And now it is night",
            ],
            [
                "a magician",
                "a tall black hat",
                "the hat was empty, and then a moth flew out",
                "I have made the rabbit invisible",
            ],
            [
                "a sea captain",
                "a cardboard ship",
                "the bottom fell out of the ship",
                "Now we can walk to the island",
            ],
            [
                "a horse",
                "a tail made of wool",
                "the tail came off and lay on the floor",
                "A horse is lighter without it",
            ],
            [
                "a cloud",
                "a coat of white cotton",
                "the cotton made {them} sneeze seven times",
                "That was the thunder",
            ],
        ],
    );
    teller.set(
        "event",
        "[school play|summer show|winter show|town theatre]",
    );
    opening(
        teller,
        "[was very shy|spoke so softly that only mice could hear|liked to stand in the last row]",
    );
    teller.say("But in the {event}, {they} was to play {role}, with {prop}. [?Every evening {they} practised in front of the mirror.|{They} learned every word by heart.|{They} practised with the chairs, and the chairs were very nice about it.] [<What if I forget my words?> {they} asked {their} friend {friend_full}.|<What if they laugh at me?> {they} asked {their} friend {friend_full}.|<What if something goes wrong?> {they} asked {their} friend {friend_full}.] [?<Then look at me,> said {friend}. <I will be in the first row.>|<Then I will be there,> said {friend}. <In the first row, on the left.>]");
    teller.paragraph();
    teller.say("The evening came. [?The hall was full.|There was not one empty chair.|Even the mayor was there.] {Hero} stepped out into the light. [?{Their} knees were like jelly.|{Their} heart was beating like a drum.|{Their} mouth was as dry as toast.] {They} took a deep breath and began. [And then it happened:|And then, oh dear,] {wrong}.");
    teller.say("[?Somebody giggled.|There was a long silence.|The teacher put her hands over her eyes.] [?{Hero} wanted to run away.|{Hero} turned red and did not know what to say.|All the words were gone from {their} head.] Then {they} saw {friend} in the first row. {Friend} [nodded|smiled|waved with one little finger].");
    teller.paragraph();
    teller.say("[{Hero} stood up straight.|Something in {hero} became calm.|{Hero} swallowed once.] <{joke},> {they} said, loud and clear.");
    teller.say("[The whole hall laughed, and it was a warm laugh.|Everybody laughed, and {hero} laughed with them.|First {friend} laughed, and then the whole hall.] [?And suddenly it was easy.|After that, the words came back, one by one.|And {hero} played on as if it had been planned.] In the end, they clapped [for so long that the lamp fell down|until their hands hurt|and stamped their feet].");
    teller.paragraph();
    teller.say("[<You were wonderful,> said {friend}. <And so funny!>|<That was the best part of all,> said {friend}.] [<I looked at you,> said {hero}. <That was the trick.>|<I was so afraid,> said {hero}. <Until I saw you.>|{Hero} beamed. <Next time I want to play the moon!>]");
    teller.say("[?A mistake is only a joke that nobody has told yet.|And {hero} never stood in the last row again.|Since then, nobody has had to ask {them} to speak up.|With a friend in the first row, you can do almost anything.]");
}
