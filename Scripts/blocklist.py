"""Writes the list of common passwords that the rule notInBlocklist refuses.

    python3 Scripts/blocklist.py > Sources/CCommonPasswords/passwords.txt

Common short passwords are below every minimum already. Attackers build guesses of 15 characters and
more: two words in a row, a walk over the keyboard, counting, a well-known sentence. This script
writes those guesses, folded as the rule folds a typed password (docs/validation.md).
Repetitions and runs of code points are not in the list: the rule finds them by itself.
"""

import itertools
import sys
import unicodedata

LONG = 15
CORE = 8

# Words that people use alone as a password, the most common first.
WORDS = """
password passwort passwords passw0rd contrasena motdepasse qwerty qwertz azerty qwertyuiop letmein
welcome willkommen bienvenue welcome123 admin administrator root superuser user guest test tester
testing secret secrets default changeme change access login master monkey dragon shadow sunshine
princess football baseball basketball soccer hockey superman batman spiderman ironman starwars
pokemon nintendo playstation minecraft fortnite iloveyou loveyou lovely love hello hallo bonjour
hola freedom whatever trustno1 michael jennifer jessica michelle charlie jordan thomas daniel andrew
joshua matthew robert hunter killer pepper ginger cookie chocolate summer winter spring autumn
monday friday sunday january february october november december flower butterfly diamond silver
golden purple orange yellow computer internet samsung iphone google facebook instagram microsoft
windows android apple mercedes ferrari porsche mustang corvette harley yamaha liverpool arsenal
chelsea barcelona realmadrid juventus manchester london berlin paris america germany canada
australia family mother father brother sister daddy mommy babygirl angel heaven jesus christ
blessed peace happy lucky smile music guitar dancer soldier marine police doctor teacher student
school college university coffee banana cheese pizza vodka tequila whisky money dollar million
business office summer2023 summer2024 theater hometheater theatre cinema movie movies film popcorn
television projector amplifier speaker network wireless router wifi homenetwork livingroom bedroom
kitchen garden house home abc123 abcd1234 qwerty123 qwerty1234 password1 password12 password123
password1234 asdfghjkl zxcvbnm 1q2w3e4r 1qaz2wsx zaq12wsx 123456 1234567 12345678 123456789
1234567890 111111 000000 123123 654321 987654321 112233 121212 696969 666666 777777 888888
""".split()

NAMES = """
anna maria sarah laura julia emma sophie lisa lena marie emily olivia hannah alice amanda ashley
nicole stephanie melissa elizabeth victoria samantha natalie rachel daniela claudia sandra andrea
michael david daniel thomas martin peter john james robert william richard joseph charles george
christopher anthony matthew andrew joshua kevin brian steven edward jason patrick alexander
sebastian stefan markus tobias florian carlos jose juan luis miguel antonio marco giovanni
""".split()

SENTENCES = """
i love you forever|i love you so much|i love you very much|i love you baby|i love you always
i will always love you|i miss you so much|i hate my life|i hate this job|i love my family
i love my life|i love my mom|i love my dad|i love my mom and dad|i love my dog|i love my cat
i love my wife|i love my husband|i love my kids|i love my children|i love my daughter|i love my son
i love my girlfriend|i love my boyfriend|i love my sister|i love my brother|i love chocolate
i love football|i love basketball|i love music and dance|i love jesus christ|jesus loves me
jesus is my lord|jesus is my savior|god is good all the time|in god we trust|god bless america
god bless you all|praise the lord|thank you jesus|let me in please|let me in now please
please let me in|open the door please|this is my password|this is a password|this is the password
my password is password|my password is secret|my secret password|my new password|my old password
i forgot my password|i forgot the password|i dont remember|i cant remember it
i dont know my password|what is my password|what is the password|whats my password
change this password|change me please|change me now please|please change me|please change this
new password please|enter password here
enter your password|type password here|type your password|insert password here|no password needed
there is no password|password not required|the password is password|secure password|strong password
very strong password|super secret password|top secret password|a very long password
long enough password|fifteen characters|sixteen characters|twenty characters|at least fifteen
not a real password|guess my password|you will never guess|try to guess this|nobody knows this
trust no one ever|never gonna give you up|never gonna let you down|correct horse battery staple
correct horse|battery staple horse|the quick brown fox|the quick brown fox jumps
the quick brown fox jumps over the lazy dog|jumps over the lazy dog|the lazy dog sleeps
to be or not to be|to be or not to be that is the question|that is the question
may the force be with you|the force is strong|i am your father|luke i am your father
use the force luke|do or do not there is no try|a long time ago in a galaxy far far away
in a galaxy far far away|live long and prosper|beam me up scotty|make it so number one
to infinity and beyond|ill be back terminator|hasta la vista baby|heres looking at you kid
frankly my dear i dont give a damn|theres no place like home|follow the yellow brick road
toto ive a feeling were not in kansas anymore|you cant handle the truth|houston we have a problem
show me the money|say hello to my little friend|go ahead make my day|i see dead people
why so serious|the dark knight rises|i am iron man|avengers assemble|wakanda forever
with great power comes great responsibility|winter is coming|you know nothing jon snow
valar morghulis|a lannister always pays his debts|one ring to rule them all|you shall not pass
my precious ring|the lord of the rings|fellowship of the ring|return of the king|the two towers
harry potter and the|expecto patronum|wingardium leviosa|mischief managed|hogwarts express
the boy who lived|luke skywalker|princess leia|darth vader|obi wan kenobi|chewbacca and han
star wars episode four|the empire strikes back|return of the jedi|star trek enterprise
indiana jones|raiders of the lost ark|jurassic park|back to the future|the godfather
the shawshank redemption|pulp fiction|fight club rules|forrest gump|run forrest run
life is like a box of chocolates|the matrix reloaded|there is no spoon|take the red pill
schindlers list|the lion king|hakuna matata|frozen let it go|let it go let it go
beauty and the beast|the little mermaid|finding nemo|toy story|monsters inc|pirates of the caribbean
captain jack sparrow|spider man far from home|james bond 007|bond james bond|shaken not stirred
mission impossible|top gun maverick|titanic jack and rose|once upon a time
once upon a time in the west|happily ever after|and they lived happily ever after
happy birthday to you|happy birthday|happy new year|merry christmas|merry christmas everyone
we wish you a merry christmas
jingle bells jingle bells|silent night holy night|twinkle twinkle little star|mary had a little lamb
humpty dumpty sat on a wall|row row row your boat|itsy bitsy spider|old macdonald had a farm
bohemian rhapsody|we will rock you|we are the champions|another one bites the dust
stairway to heaven|hotel california|smells like teen spirit|smoke on the water|highway to hell
knocking on heavens door|sweet child of mine|nothing else matters|enter sandman|master of puppets
yellow submarine|let it be let it be|hey jude the beatles|all you need is love|here comes the sun
imagine all the people|billie jean|thriller michael jackson|purple rain|like a virgin
wonderwall oasis|viva la vida coldplay|somewhere over the rainbow|what a wonderful world
dont worry be happy|dont stop believing|livin on a prayer|eye of the tiger|we are family
girls just want to have fun|dancing queen abba|mamma mia here we go again|sympathy for the devil
manchester united|real madrid barcelona|youll never walk alone|glory glory man united
new york yankees|dallas cowboys|los angeles lakers|chicago bulls 23|new england patriots
pittsburgh steelers|green bay packers|toronto maple leafs|michael jordan 23|cristiano ronaldo
lionel messi 10|liverpool football club|arsenal football club|chelsea football club
bayern muenchen|borussia dortmund|united states of america|united kingdom|great britain
new york city|los angeles california|san francisco|las vegas nevada|rio de janeiro
home sweet home|home is where the heart is|my home theater|our home theater|home theater system
the home theater|welcome to my home|welcome home everyone|living room tv|smart television
netflix and chill|amazon prime video|watch a movie tonight|movie night with friends
popcorn and movies|lights camera action|ladies and gentlemen|time is money
money cant buy happiness|money makes the world go round|an apple a day keeps the doctor away
practice makes perfect|better late than never|actions speak louder than words|easy come easy go
the early bird catches the worm|a picture is worth a thousand words|honesty is the best policy
knowledge is power|where there is a will there is a way|no pain no gain|live laugh love
live love laugh|carpe diem seize the day|just do it nike|think different apple
keep calm and carry on|yes we can obama|make america great again|i have a dream
one small step for man|four score and seven years ago|we the people of the united states
give me liberty or give me death
our father who art in heaven|the lord is my shepherd|for god so loved the world|john 3 16
psalm 23|in the beginning god created|amazing grace how sweet the sound|hail mary full of grace
hello world|hello kitty|hello my friend|hello my name is|how are you today|good morning
good morning sunshine|good night and good luck|see you later alligator|whats up doc
nice to meet you|thank you very much|you are my sunshine|you are welcome|you are beautiful
you and me forever|me and you forever|together forever|best friends forever|friends forever
forever and ever|forever and always|always and forever|now and forever|till death do us part
wedding day|our wedding day|love of my life|light of my life|my one and only love
my little princess|my little pony|my little sweetheart|mommy and daddy|mom and dad forever
brothers and sisters|my beautiful family|my three children|my first computer|my favorite color
my favorite movie|my favorite song|my first password|my email password|my wifi password
wifi password|internet password|network password|computer password|facebook password
administrator password|admin password|root password|default password|system administrator
supervisor|test test test|testing testing|testing one two three|one two three four
one two three four five|one two three four five six|eins zwei drei vier|uno dos tres cuatro
un deux trois quatre|a b c d e f g|abcdefg hijklmnop|alphabet soup|secret agent man
i am the best|i am the king|i am the one|i am a genius|i am batman|i am legend|i am awesome
i am the walrus|you are the best|you are awesome|never say never|never give up|never surrender
dont touch this|do not touch|do not enter|keep out private|private property|no trespassing
for your eyes only|mind your own business|none of your business|leave me alone|go away please
ich liebe dich|ich liebe dich so sehr|ich liebe mein leben|ich liebe meine familie|mein passwort
mein passwort ist|mein geheimes passwort|das ist mein passwort|kein passwort|neues passwort
geheimes passwort|sehr geheim|hallo welt|guten morgen|guten tag zusammen|frohe weihnachten
alles gute zum geburtstag|zum geburtstag viel gluck|alle meine entchen|vater unser im himmel
te quiero mucho|te amo mucho|te amo para siempre|te quiero para siempre|mi contrasena
mi contrasena es|feliz cumpleanos|feliz navidad|dios es amor|dios te bendiga|viva mexico
buenos dias|hola mundo|je taime mon amour|je taime pour toujours|mon mot de passe
bonjour tout le monde|bon anniversaire|joyeux noel|la vie est belle|ti amo per sempre
la vita e bella|forza juventus|la mia password|eu te amo|eu te amo muito|minha senha|deus e fiel
""".replace("\n", "|").split("|")

ROWS = {
    "qwerty": ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"],
    "qwertz": ["1234567890", "qwertzuiop", "asdfghjkl", "yxcvbnm"],
    "azerty": ["1234567890", "azertyuiop", "qsdfghjklm", "wxcvbn"],
    "dvorak": ["1234567890", "pyfgcrl", "aoeuidhtns", "qjkxbmwvz"],
}

LEET = str.maketrans("01!34@5$78", "oiieaasstb")
SEPARATORS = " -_.,"


def fold(text):
    text = unicodedata.normalize("NFKC", text)
    text = "".join(c.lower() for c in text if c not in SEPARATORS)
    return text.translate(LEET)


def joined_words():
    """Two words in a row, two names with a word between them, and names and words in phrases."""
    for a, b in itertools.permutations(WORDS[:60], 2):
        yield a + b
    for a, b in itertools.combinations(NAMES[:25], 2):
        yield f"{a}and{b}"
        yield f"{a}loves{b}"
    for name in NAMES:
        for frame in (
            "ilove{}forever",
            "iloveyou{}",
            "iloveyou{}forever",
            "mynameis{}",
            "ihate{}",
            "i will always love {}",
            "{}ismylove",
            "{}ismybestfriend",
            "hello{}hello",
            "{}password",
            "password{}",
            "{}ismypassword",
            "mypasswordis{}",
        ):
            yield frame.format(name)
    for word in WORDS[:120]:
        for frame in (
            "my{}password",
            "the{}password",
            "this is my {}",
            "i love my {}",
            "i love {} forever",
            "welcome to my {}",
            "{}ismypassword",
            "mypasswordis{}",
        ):
            yield frame.format(word)


def walks():
    """Ways over a keyboard: along rows, down columns, to and fro."""
    for rows in ROWS.values():
        letters = "".join(rows[1:])
        columns = ["".join(row[i] for row in rows if i < len(row)) for i in range(10)]
        # A row may be longer than the next one.
        pairs = [
            "".join(a + b for a, b in zip(one, other, strict=False))
            for one, other in itertools.pairwise(rows)
        ]
        lines = [
            letters,
            "".join(rows),
            "".join(reversed(rows)),
            "".join(columns),
            "".join(c[::-1] for c in columns),
            "".join(c[1:] for c in columns),
            "".join(c if i % 2 == 0 else c[::-1] for i, c in enumerate(columns)),
            "".join(rows[1:]) + rows[0],
            letters + letters,
            *pairs,
            *(p + p for p in pairs),
            *(a + a[::-1] for a in rows),
            *(a + b for a, b in itertools.permutations(rows, 2)),
            *(r + r for r in rows),
        ]
        for line in lines:
            for way in (line, line[::-1]):
                # People stop at one of these lengths, or at the end of the line.
                for start in range(min(len(way), 10)):
                    for length in (15, 16, 18, 20, len(way) - start):
                        yield way[start : start + length]


def digits():
    """Counted digits, years in a row, and well-known sequences such as the digits of pi."""
    up = "01234567890123456789012345678901234567890"
    for start in range(10):
        for length in range(LONG, 21):
            yield up[start : start + length]
            yield up[::-1][start : start + length]
    doubled = "".join(d * 2 for d in "1234567890" * 2)
    tripled = "".join(d * 3 for d in "1234567890" * 2)
    for line in (doubled, tripled, doubled[::-1], tripled[::-1]):
        for length in range(LONG, 21):
            yield line[:length]
    yield from (
        "314159265358979",
        "3141592653589793",
        "31415926535897932384",
        "271828182845904",
        "2718281828459045",
        "161803398874989",
        "141421356237309",
        "248163264128256",
        "112358132134558",
        "1123581321345589",
        "102030405060708090",
        "010203040506070809",
        "1a2b3c4d5e6f7g8h",
        "a1b2c3d4e5f6g7h8",
        "abc123def456ghi789",
        "123abc456def789",
    )
    for year in range(1950, 2031):
        yield f"{year}{year + 1}{year + 2}{year + 3}"
        yield f"{year}{year - 1}{year - 2}{year - 3}"


def cores():
    """Words that the rule refuses when they are at least half of a longer password."""
    yield from WORDS
    yield from SENTENCES
    for a, b in itertools.product(("love", "i", "my", "the", "big", "super", "hello"), WORDS):
        yield a + b


def entries():
    kept = set()
    for text in itertools.chain(SENTENCES, walks(), digits(), joined_words()):
        folded = fold(text)
        if len(folded) >= LONG:
            kept.add(folded)
    common = len(kept)
    for text in cores():
        folded = fold(text)
        if CORE <= len(folded) < LONG:
            kept.add(folded)
    return sorted(kept), common


def main():
    every, common = entries()
    assert all(e.isascii() and all(33 <= ord(c) < 127 and c not in '"\\' for c in e) for e in every)
    print(f"{len(every)} entries, {common} of them of {LONG} characters or more", file=sys.stderr)
    print("\n".join(every))


if __name__ == "__main__":
    main()
