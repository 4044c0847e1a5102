//! Plots about a thing: lost, out of reach, wanted by two, broken, given away.

use crate::cast::{FANTASTIC, WORKERS, YOUNG, friend, hero, opening};
use crate::teller::Teller;

const COLOUR: &str = "[red|blue|green|yellow|silver|golden|purple|white|orange|brown|pink|striped]";

/// Something is lost, looked for in wrong places, and found where nobody thought of it.
pub fn lost(teller: &mut Teller) {
    hero(teller, &[YOUNG, FANTASTIC, WORKERS]);
    teller.set("colour", COLOUR);
    teller.facts(
        ["thing", "habit", "found", "laugh"],
        &[
            ["hat", "wore it even in bed", "a hen was sitting in it, and under the hen were three warm eggs", "I lost a hat and found a family"],
            ["scarf", "wore it even in summer", "a crow had pulled it into her nest to keep her babies warm", "So that is how a nest gets a blanket"],
            ["spoon", "ate everything with it, even bread", "the spoon was standing in the honey jar, where {they} had left it at breakfast", "The honey was hungry too"],
            ["bell", "rang it every evening to say good night", "the old cow was wearing it around her neck, and she looked very proud", "It looks better on you"],
            ["button", "kept it for luck", "it was shining between two pages of a picture book, where {they} had put it to mark the place", "I should read more often"],
            ["umbrella", "opened it even when the sun was shining", "five ducklings were sailing in it, round and round on the pond", "Every captain needs a ship"],
            ["boot", "never went out without it", "a family of ants had moved in and was having dinner in the toe", "Please finish your soup first"],
            ["cup", "drank warm milk from it every night", "a sparrow was having a bath in it on the garden wall", "Do not forget to wash your ears"],
            ["ball", "took it along on every walk", "a sleepy goose was sitting on it, waiting for it to hatch", "That will be a very round baby"],
            ["ribbon", "tied a new bow in it every day", "a spider had hung it in her web to make the house look nice", "You have very good taste"],
            ["key", "kept it on a string", "it was hanging on the string around {their} own neck, only at the back", "I should look behind me more often"],
            ["glove", "waved to everybody with it", "a squirrel was fast asleep inside it, with one foot in every finger", "It fits you better than me"],
            ["blanket", "could not sleep without it", "the cat was lying on it with four new kittens", "You need it more than I do tonight"],
            ["lantern", "carried it everywhere", "a hundred moths were dancing around it behind the house", "Nobody told me there was a party"],
            ["drum", "played it after every meal", "two cats were sleeping on it, because it was round and warm from the sun", "I will play very softly today"],
            ["teddy bear", "told it every secret", "it was sitting at the window, right where {they} had put it to look at the rain", "You could have said something"],
            ["pillow", "took it to every picnic", "the dog was lying on it and dreaming with all four legs", "I will wait until he has caught his dream"],
        ],
    );
    teller.set("have", "[had {a colour} {thing} and {habit}|loved {their} {colour} {thing} and {habit}|owned {a colour} {thing} and {habit}]");
    opening(teller, "{have}");
    teller.say("{one_day} [the {colour} {thing} was gone|the {thing} was not in its place|{hero} could not find the {thing}|the {thing} had disappeared|{they} reached for the {thing}, but it was not there].");
    teller.say("[<Where is my {thing}?> {they} [cried|asked|said].|<Oh no!> cried {hero}. <Where is my {colour} {thing}?>|{Hero} felt [very sad|cold with worry|like crying]. <Where can it be?> {they} [asked|whispered].|<It was here yesterday!> said {hero}.]");
    teller.paragraph();
    teller.set("first", "[under the bed|under the table|behind the door|in the bread box|under the stairs|behind the stove|in the big teapot]");
    teller.set("find", "[an old sock|a sleepy beetle|half a biscuit|a lot of dust|a letter from last year|one blue marble|a very surprised mouse]");
    teller.set("second", "[in the barrel|in the shed|behind the woodpile|in the apple basket|under the bench|in the wheelbarrow]");
    teller.set("more", "[a rusty nail|a family of snails|three nuts|a fat toad|an empty jar|a wet leaf|a long worm]");
    teller.say("{Hero} looked {first} and found {find}, but no {thing}. {They} looked {second} and found {more}, but no {thing}.");
    teller.say("[{They} asked the neighbours, but they only shook their heads.|{They} sat down and [sighed|sniffed].|<Think,> {they} said. <Where have I not looked yet?>|{They} even looked on the roof. Nothing!|{They} looked up, {they} looked down, and {they} looked all around.|]");
    teller.facts(
        ["asker"],
        &[
            ["a pedlar"],
            ["an old woman"],
            ["the milkman"],
            ["a neighbour"],
            ["a friendly crow"],
            ["a swan"],
            ["a boy on a bicycle"],
        ],
    );
    teller.paragraph();
    teller.say("[Just then {asker} came by. <What are you looking for?> [was the question|came the question]. <My {thing}!> said {hero}. <I think you had better come with me,> was the answer, and off they went.|At last {they} stopped looking in such a hurry and looked slowly instead.|Then {hero} [heard a tiny sound|saw something {colour}|had an idea] and [went to see|took a closer look|tiptoed closer].]");
    teller.say("[There it was!|And there was the {thing}!|What a surprise!|Guess what!|You will not believe it!] {Found}.");
    teller.say("{Hero} [laughed|laughed and laughed|had to smile|laughed out loud]. <{laugh},> {they} said.");
    teller.say("[And from that day on, {they} always knew where {their} {thing} was.|That night {hero} told the story to everyone who wanted to hear it.|And {they} was happy all day long.|Sometimes the things we lose are just where they are needed.|After that, {they} took better care of the {colour} {thing}.|It was the best thing {they} had ever lost.]");
}

/// Something flies or falls out of reach; the tool was there from the beginning.
pub fn too_high(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG]);
    teller.set("colour", COLOUR);
    teller.facts(
        ["thing", "play"],
        &[
            ["kite", "flying"],
            ["balloon", "holding"],
            ["ball", "throwing and catching"],
            ["hat", "showing everyone"],
            ["paper plane", "throwing"],
            ["scarf", "waving"],
            ["toy bird", "playing with"],
        ],
    );
    teller.facts(
        ["place", "perch"],
        &[
            ["in the meadow", "the top of a tall tree"],
            ["by the church", "the roof of the church"],
            ["near the mill", "the roof of the mill"],
            ["in the garden", "the highest branch of the pear tree"],
            ["at the harbour", "the top of a mast"],
            ["in the market square", "the top of the lamp post"],
        ],
    );
    teller.facts(
        ["tool", "why", "way"],
        &[
            ["fishing rod", "because you never know when you will meet a fish", "swung the rod, and the hook caught the {thing} on the third try"],
            ["broom", "because leaves fall every day", "climbed on a box, held up the broom, and pushed the {thing} down, gently, gently"],
            ["long rope", "because a rope is good for a hundred things", "threw one end of the rope over and shook it until the {thing} came loose"],
            ["ladder", "because {their} grandmother was a chimney sweep", "put the ladder up and climbed, one step and then another, until {they} held the {thing}"],
            ["very long spoon", "because soup tastes better from far away", "stood on a barrel, reached up with the spoon, and scooped the {thing} down like a dumpling"],
            ["pea shooter", "because {they} did not like to eat peas", "shot one pea, two peas, three peas, and the {thing} tumbled down"],
            ["trumpet", "because {they} wanted to be in a band", "blew the trumpet so loudly that everything shook, and the {thing} fell down"],
            ["butterfly net", "because {they} liked to say hello to butterflies", "stood on a wall and fished the {thing} out of the air with the net"],
        ],
    );
    friend(teller, &person);
    opening(
        teller,
        "[always carried {a tool}, {why}|never left the house without {a tool}, {why}]",
    );
    teller.maybe("<What do you need {a tool} for?> [people laughed|everybody asked].");
    teller.paragraph();
    teller.set("wind", "[the wind|a strong gust of wind|a cheeky wind]");
    teller.say("[One windy {hour}|One windy day|On a windy {hour} in spring|On a windy {hour} in autumn], {hero} was {place} with {their} friend {friend_full}. {Friend} was {play} a new {colour} {thing}. [Whoosh!|Swish!|Suddenly, whoosh!] {Wind} [took|grabbed|stole] the {thing} and put it on {perch}.");
    teller.say("[<My {thing}!> cried {friend}.|<Come back!> shouted {friend}, but the {thing} did not come back.|{Friend} [began to cry|had tears in {ftheir} eyes]. <My new {thing}!> {fthey} said.|<Oh no!> said {friend}. <Now it is gone forever.>]");
    teller.paragraph();
    teller.say("[{Hero} jumped as high as {they} could, but it was not high enough.|First they threw a shoe. Now the shoe was up there too.|They called a cow and stood on her back, but the cow only wanted to eat and walked away.|They shouted at the wind, but the wind did not listen.|{Friend} stood on {hero}, and {hero} wobbled, and they both fell into the grass.|They waited for the wind to bring it back, but now the wind had gone to sleep.]");
    teller.say("[Then {hero} [slapped {their} head|smiled|began to laugh]. <Wait!> {they} said. <I have {a tool}!>|<What are we going to do?> asked {friend}. {Hero} thought and thought. <The {tool}!> {they} cried.|They both looked up. Then they both looked at the {tool}.]");
    teller.say("{Hero} {way}.");
    teller.paragraph();
    teller.say("[<Hooray!> cried {friend}, and hugged {hero}.|{Friend} danced for joy.|<You did it!> said {friend}. {Friend} was so happy that {fthey} jumped up and down.|<Thank you!> said {friend}. <You are the best friend in the world.>]");
    teller.say("[?After that, everybody wanted {a tool}.|And the next day, {friend} carried {a tool} too.|<So that is what you need {a tool} for,> said {friend}.|And {hero} put the {tool} away, for the next time.|They played until the sun went down, but this time they held on tight.]");
}

/// Two want the same thing, and both lose it until they mend it together.
pub fn quarrel(teller: &mut Teller) {
    let person = hero(teller, &[YOUNG, FANTASTIC]);
    friend(teller, &person);
    teller.set("colour", COLOUR);
    teller.facts(
        ["thing", "found", "broke", "mended", "share"],
        &[
            [
                "sled",
                "in an old barn",
                "the rope tore, and the sled rolled down the hill and lost a board",
                "nailed on a new board and tied a longer rope",
                "the sled had room for two",
            ],
            [
                "book",
                "on a park bench",
                "the pages flew out like white birds",
                "picked up every page and sewed the book together",
                "one read the words and the other showed the pictures",
            ],
            [
                "cart",
                "behind the mill",
                "one wheel came off and rolled into the ditch",
                "found the wheel and put it back on with a wooden pin",
                "one pulled and the other rode, and then they changed",
            ],
            [
                "boat",
                "on the bank of the stream",
                "the little sail ripped in two",
                "made a new sail from a handkerchief",
                "one was the captain and the other was the wind",
            ],
            [
                "drum",
                "under a bush",
                "the skin of the drum burst with a loud bang",
                "put a new skin on it and tied it with string",
                "one played the left side and the other played the right side",
            ],
            [
                "swing",
                "on a low branch",
                "the rope broke and they both sat down in the mud",
                "tied the rope again with three strong knots",
                "one swung and the other pushed, and they counted to twenty",
            ],
            [
                "tent",
                "in the attic",
                "the cloth tore from top to bottom",
                "sewed the cloth with big funny stitches",
                "there was room for two and a lamp",
            ],
            [
                "puppet",
                "in a box by the road",
                "an arm came off and all the straw fell out",
                "filled it with fresh straw and sewed the arm on",
                "one moved the arms and the other did the voice",
            ],
            [
                "blanket",
                "on a fence",
                "it ripped right down the middle",
                "sewed it together with golden thread",
                "it was big enough for two",
            ],
        ],
    );
    opening(
        teller,
        "[liked nothing better than playing with {friend_full}|had a best friend, {friend_full}|played with {friend_full} every day]",
    );
    teller.say("{one_day} they found {a colour} {thing} {found}.");
    teller.say("[<It is mine!> said {hero}. <I saw it first.>|<I saw it first!> shouted {hero}.|<Mine!> cried {hero}.]");
    teller.say("[<No, it is mine!> said {friend}. <I touched it first.>|<But I picked it up!> shouted {friend}.|<No, mine!> cried {friend}.]");
    teller.paragraph();
    teller.say("{Hero} pulled. {Friend} pulled. [They pulled and they pulled, and their faces turned red.|Nobody wanted to let go.|They pulled this way, and they pulled that way.|A crow came to watch and shook her head.]");
    teller.say(
        "[Then, crack!|Then there was a terrible sound.|And then it happened.|Oh dear!] {Broke}.",
    );
    teller.say("[?It was very quiet.|Now nobody said mine any more.|They both looked at the ground.|{Friend} began to cry, and so did {hero}.|They were angry, and they went home without a word.]");
    teller.paragraph();
    teller.say("[That night {hero} could not sleep. In the morning {they} went to {friend}.|{Hero} sat alone on a stone for a long time. It was no fun at all. Then {they} went to {friend}.|After a while, {hero} took a deep breath.|{Hero} walked around a tree three times. Then {they} came back to {friend}.]");
    teller.say("[<I am sorry,> said {hero}. <I am sorry too,> said {friend}.|<I am sorry that I pulled,> said {hero}. <I pulled harder,> said {friend}, and they had to laugh.|<You are more important than {a thing},> said {hero}. {Friend} smiled. <So are you,> {fthey} said.]");
    teller.say("[Together they|Side by side, they|Then the two friends] {mended}. [?It was not as beautiful as before, but it was theirs.|It looked a bit funny, but it worked.|It took the whole day, and that was the best part.|Now it was even better than before.]");
    teller.say("From then on, {share}. [And that was much more fun.|It is good to have {a thing}. It is better to have a friend.|And if they ever quarrelled again, it was only about who was more sorry.|Sharing makes everything twice as big.]");
}

/// Something important breaks, and an unlikely thing replaces the part.
pub fn broken(teller: &mut Teller) {
    let person = hero(teller, &[FANTASTIC, WORKERS]);
    friend(teller, &person);
    teller.facts(
        ["machine", "use", "part", "spare", "effect"],
        &[
            [
                "clock",
                "told the whole town when to get up",
                "the smallest wheel",
                "a round biscuit",
                "it ran again, and every hour it smelled of cinnamon",
            ],
            [
                "music box",
                "played a song for the children every evening",
                "the handle",
                "a teaspoon",
                "it played again, and the song was even faster than before",
            ],
            [
                "lamp",
                "showed the ships the way home",
                "the glass",
                "an empty jam jar",
                "the light was a little pink, and the ships thought it was lovely",
            ],
            [
                "bicycle",
                "brought the letters to every house",
                "the bell",
                "a small frog who liked to sing",
                "everybody heard the letters come, and the frog saw the whole world",
            ],
            [
                "mill",
                "made flour for all the bread in town",
                "a wooden tooth of the big wheel",
                "a strong carrot",
                "it turned again, and the bread was a little orange",
            ],
            [
                "train",
                "brought the children to school",
                "the whistle",
                "an old flute",
                "it sounded so sweet that even the cows came to listen",
            ],
            [
                "fountain",
                "gave water to all the flowers",
                "the pipe",
                "a long hollow reed",
                "the water jumped higher than ever before",
            ],
            [
                "pump",
                "gave water to all the gardens",
                "the handle",
                "a wooden leg from a chair",
                "the water came out, splash, and everybody got wet and laughed",
            ],
            [
                "swing boat",
                "made everybody at the fair laugh",
                "the rope",
                "a very long scarf",
                "it swung again, and it was warm and soft as well",
            ],
        ],
    );
    opening(
        teller,
        "[looked after {a machine} that {use}|had the most important {machine} in town. It {use}]",
    );
    teller.say("{one_day} the {machine} [made a strange noise. Krrk! And then it stopped|coughed twice and stood still|stopped. It did not move at all|went clank, and clonk, and then it was silent].");
    teller.say("[?<Oh dear,> said {hero}. <What is wrong with you?>|{Hero} looked at it from the left and from the right.|<Please do not stop now,> said {hero}.|{Hero} was [worried|frightened|very sad].] [{Part} was broken.|{They} opened it up and saw that {part} was broken.|{They} looked closely. {Part} had cracked in two.]");
    teller.paragraph();
    teller.say("First {hero} tried to mend it with [glue|string|a ribbon|honey|chewing gum], but [it held for only a minute|it did not hold|it stuck only to {their} nose|it fell off again]. Then {they} [gave it a kick, but that only hurt {their} toe|said please three times, but that did not help either|went to buy a new one, but the shop was closed|sang to it, but nothing happened].");
    teller.say("[?<It is no use,> said {hero}.|{Hero} sat down and hung {their} head.|<Now what shall we do?> {they} sighed.|A tear rolled down {their} nose.]");
    teller.paragraph();
    teller.say("[Just then {friend_full} came by with|Along came {friend}, the {fkind} from next door, with|{A fkind} named {friend} had been watching with] {spare}.");
    teller.say("[<May I try something?> asked {friend}.|<Would this help?> {fthey} asked [shyly|quietly|with a smile].|<I have an idea,> said {friend}. <It is a silly one.>]");
    teller.say("[?{Hero} laughed. <That is no {machine} part!>|<That will never work,> said {hero}.|<Silly ideas are sometimes the best,> said {hero}.|<Let us try,> said {hero}.]");
    teller.say("But [it fitted perfectly|it was just the right size|it fitted as if it had been made for it]! [?Tick, clack, hum!|They held their breath.|One, two, three!] {Effect}.");
    teller.say("[<You are a real inventor!> said {hero}, and {friend} turned red with joy.|<Thank you, {friend},> said {hero}. From that day on, they looked after the {machine} together.|Everybody clapped, and {friend} was the hero of the day.|Since then, whenever something is broken, {hero} says, <Let us ask {friend}.>|And that is why you should never laugh at a silly idea.]");
}

/// A gift is prepared, ruined on the way, and turns out right in another way.
pub fn gift(teller: &mut Teller) {
    hero(teller, &[YOUNG, FANTASTIC]);
    teller.set("who", "[grandmother|grandfather|aunt|uncle|mother|father]");
    teller.facts(
        ["present", "made", "need", "asker", "give", "thanks"],
        &[
            [
                "a warm scarf",
                "knitted it for seven days",
                "I am so cold",
                "an old sheep without her wool",
                "put the scarf around her neck",
                "a bag of sunflower seeds",
            ],
            [
                "a basket of berries",
                "picked them one by one",
                "I am so hungry",
                "a thin little deer",
                "gave him the berries, all of them",
                "a white feather he had found",
            ],
            [
                "a honey cake",
                "baked it with {their} own hands",
                "My children have had no breakfast",
                "a tired goose",
                "gave the cake to her seven children",
                "a smooth blue stone",
            ],
            [
                "a bunch of tulips",
                "watered them all spring",
                "Today is my birthday and nobody came",
                "a lonely old man",
                "gave him the tulips, every one of them",
                "a button from his coat",
            ],
            [
                "a little wooden stool",
                "cut it and painted it blue",
                "My legs are so tired",
                "an old man with a heavy sack",
                "left the stool under him and wished him a good rest",
                "a walnut from his sack",
            ],
            [
                "a clay cup",
                "made it round and round",
                "I cannot drink from this deep well",
                "a thirsty bird with a hurt wing",
                "left her the cup full of water",
                "a song nobody else knew",
            ],
            [
                "a paper lantern",
                "glued it and painted stars on it",
                "I am afraid to walk home in the dark",
                "a small hen",
                "gave her the lantern",
                "one warm egg",
            ],
        ],
    );
    opening(
        teller,
        "[wanted to give {their} {who} something special|loved {their} {who} very much]",
    );
    teller.say("[It would soon be {their} {who}'s birthday, so {hero} made|For the birthday of {their} {who}, {hero} made|{Their} {who} had a birthday coming, and {hero} made] {present}. {They} {made}.");
    teller.say("[?{They} was very proud of it.|It was the best present {they} had ever made.|{They} could hardly wait.|]");
    teller.paragraph();
    teller.say("[On the day of the party|When the day came|On the {weather} {hour} of the party], {hero} set out [through the forest|along the river|over the hill|across the fields]. [Halfway|Soon|At the crossroads|By the bridge] {they} met {asker}. <{need},> [came a sad voice|said the stranger|was all {they} heard].");
    teller.say("{Hero} looked at {their} present. [?{They} thought about it for a long time.|It was so hard to decide!|<But it is for my {who},> {they} whispered.|{Their} heart said one thing, and then another.] Then {they} {give}.");
    teller.say("[<Thank you! Take this,> said the stranger, and gave {them}|<You are very kind,> said the stranger, and gave {them}|In return {they} got] {thanks}.");
    teller.paragraph();
    teller.say("So {hero} [came to the party without a present|arrived with almost empty hands|stood at the door and was a little afraid]. <I had a present for you,> {they} said. <But somebody needed it more.> And {they} told the whole story.");
    teller.say("{Their} {who} [listened and smiled|was silent for a moment|put down the teapot]. Then {hero} shared what {they} had been given: {thanks}.");
    teller.say("[<This is the best present of all,> said {their} {who}. <It comes with a story.>|<I have many things,> said {their} {who}. <But I have only one {hero}.>|<A kind heart is the nicest present,> said {their} {who}, and hugged {them} tight.|<Do you know what I wished for?> asked {their} {who}. <A good story. And now I have one.>]");
    teller.say("[?Then there was cake for everyone.|And they danced until the stars came out.|And {hero} was the happiest guest at the party.|The next year, the stranger was invited too.|]");
}
