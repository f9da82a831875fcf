#pragma once
#include <cstdint>
#include <string_view>

namespace formwork::embedded {

/// Of a German noun.
enum class gender : std::uint8_t { masculine, feminine, neuter };

/// What a noun can do in a sentence; verbs and adjectives name the kinds that they go with.
using kinds = std::uint16_t;
inline constexpr kinds person = 1, thing = 2, readable = 4, edible = 8, opens = 16, clothing = 32,
                       machine = 64, electric = 128, portable = 256;
inline constexpr kinds anything = person | thing;

/// A noun. The accusative of the singular is the nominative, but for the weak masculine nouns ("den Kunden").
struct noun {
  gender g;
  std::string_view nominative, accusative, plural, english, english_plural;
  kinds kind;
};

/// An adjective: the stem before an ending, and the form after "ist".
struct adjective {
  std::string_view stem, predicate, english;
  kinds goes_with;
};

/// A verb. The plural of the present is the infinitive without its particle.
struct verb {
  std::string_view ich, du, er, plural, particle, participle, english, english_third, english_past;
  kinds object;            ///< kinds of accusative object; 0: none
  std::string_view place;  ///< preposition of its place, "in" or "nach"; empty: none
  bool with_sein;          ///< its perfect is made with "sein"
};

namespace detail {

inline constexpr auto m = gender::masculine, f = gender::feminine, n = gender::neuter;

}  // namespace detail

/// Nouns that act.
inline constexpr noun persons[] = {
    {detail::m, "Mann", "Mann", "Männer", "man", "men", person},
    {detail::f, "Frau", "Frau", "Frauen", "woman", "women", person},
    {detail::n, "Kind", "Kind", "Kinder", "child", "children", person},
    {detail::m, "Lehrer", "Lehrer", "Lehrer", "teacher", "teachers", person},
    {detail::f, "Lehrerin", "Lehrerin", "Lehrerinnen", "teacher", "teachers", person},
    {detail::m, "Arzt", "Arzt", "Ärzte", "doctor", "doctors", person},
    {detail::f, "Ärztin", "Ärztin", "Ärztinnen", "doctor", "doctors", person},
    {detail::m, "Nachbar", "Nachbarn", "Nachbarn", "neighbour", "neighbours", person},
    {detail::f, "Nachbarin", "Nachbarin", "Nachbarinnen", "neighbour", "neighbours", person},
    {detail::m, "Student", "Studenten", "Studenten", "student", "students", person},
    {detail::m, "Kollege", "Kollegen", "Kollegen", "colleague", "colleagues", person},
    {detail::m, "Freund", "Freund", "Freunde", "friend", "friends", person},
    {detail::f, "Freundin", "Freundin", "Freundinnen", "friend", "friends", person},
    {detail::m, "Junge", "Jungen", "Jungen", "boy", "boys", person},
    {detail::n, "Mädchen", "Mädchen", "Mädchen", "girl", "girls", person},
    {detail::m, "Bruder", "Bruder", "Brüder", "brother", "brothers", person},
    {detail::f, "Schwester", "Schwester", "Schwestern", "sister", "sisters", person},
    {detail::m, "Sohn", "Sohn", "Söhne", "son", "sons", person},
    {detail::f, "Tochter", "Tochter", "Töchter", "daughter", "daughters", person},
    {detail::m, "Onkel", "Onkel", "Onkel", "uncle", "uncles", person},
    {detail::f, "Tante", "Tante", "Tanten", "aunt", "aunts", person},
    {detail::m, "Bäcker", "Bäcker", "Bäcker", "baker", "bakers", person},
    {detail::m, "Koch", "Koch", "Köche", "cook", "cooks", person},
    {detail::m, "Kunde", "Kunden", "Kunden", "customer", "customers", person},
    {detail::m, "Gast", "Gast", "Gäste", "guest", "guests", person},
    {detail::f, "Sängerin", "Sängerin", "Sängerinnen", "singer", "singers", person},
};

/// Nouns that something is done to.
inline constexpr noun things[] = {
    {detail::m, "Brief", "Brief", "Briefe", "letter", "letters", thing | readable | opens | portable},
    {detail::m, "Roman", "Roman", "Romane", "novel", "novels", thing | readable | portable},
    {detail::m, "Bericht", "Bericht", "Berichte", "report", "reports", thing | readable | portable},
    {detail::n, "Buch", "Buch", "Bücher", "book", "books", thing | readable | portable},
    {detail::f, "Zeitung", "Zeitung", "Zeitungen", "newspaper", "newspapers", thing | readable | portable},
    {detail::f, "Nachricht", "Nachricht", "Nachrichten", "message", "messages", thing | readable | portable},
    {detail::n, "Gedicht", "Gedicht", "Gedichte", "poem", "poems", thing | readable | portable},
    {detail::m, "Apfel", "Apfel", "Äpfel", "apple", "apples", thing | edible | portable},
    {detail::m, "Kuchen", "Kuchen", "Kuchen", "cake", "cakes", thing | edible | portable},
    {detail::f, "Birne", "Birne", "Birnen", "pear", "pears", thing | edible | portable},
    {detail::f, "Suppe", "Suppe", "Suppen", "soup", "soups", thing | edible | portable},
    {detail::n, "Ei", "Ei", "Eier", "egg", "eggs", thing | edible | portable},
    {detail::f, "Tür", "Tür", "Türen", "door", "doors", thing | opens},
    {detail::n, "Fenster", "Fenster", "Fenster", "window", "windows", thing | opens},
    {detail::m, "Koffer", "Koffer", "Koffer", "suitcase", "suitcases", thing | opens | portable},
    {detail::f, "Tasche", "Tasche", "Taschen", "bag", "bags", thing | opens | portable},
    {detail::f, "Flasche", "Flasche", "Flaschen", "bottle", "bottles", thing | opens | portable},
    {detail::n, "Paket", "Paket", "Pakete", "parcel", "parcels", thing | opens | portable},
    {detail::m, "Hut", "Hut", "Hüte", "hat", "hats", thing | clothing | portable},
    {detail::m, "Mantel", "Mantel", "Mäntel", "coat", "coats", thing | clothing | portable},
    {detail::f, "Jacke", "Jacke", "Jacken", "jacket", "jackets", thing | clothing | portable},
    {detail::n, "Hemd", "Hemd", "Hemden", "shirt", "shirts", thing | clothing | portable},
    {detail::n, "Kleid", "Kleid", "Kleider", "dress", "dresses", thing | clothing | portable},
    {detail::m, "Computer", "Computer", "Computer", "computer", "computers",
     thing | machine | electric | portable},
    {detail::n, "Auto", "Auto", "Autos", "car", "cars", thing | machine},
    {detail::n, "Fahrrad", "Fahrrad", "Fahrräder", "bicycle", "bicycles", thing | machine | portable},
    {detail::n, "Radio", "Radio", "Radios", "radio", "radios", thing | machine | electric | portable},
    {detail::f, "Kamera", "Kamera", "Kameras", "camera", "cameras", thing | machine | electric | portable},
    {detail::f, "Lampe", "Lampe", "Lampen", "lamp", "lamps", thing | machine | electric | portable},
    {detail::m, "Schlüssel", "Schlüssel", "Schlüssel", "key", "keys", thing | portable},
    {detail::m, "Tisch", "Tisch", "Tische", "table", "tables", thing},
    {detail::m, "Stuhl", "Stuhl", "Stühle", "chair", "chairs", thing | portable},
    {detail::m, "Ball", "Ball", "Bälle", "ball", "balls", thing | portable},
    {detail::f, "Karte", "Karte", "Karten", "map", "maps", thing | portable},
    {detail::f, "Blume", "Blume", "Blumen", "flower", "flowers", thing | portable},
    {detail::n, "Haus", "Haus", "Häuser", "house", "houses", thing},
    {detail::n, "Bild", "Bild", "Bilder", "picture", "pictures", thing | portable},
    {detail::n, "Messer", "Messer", "Messer", "knife", "knives", thing | portable},
};

/// All adjectives.
inline constexpr adjective adjectives[] = {
    {"alt", "alt", "old", anything},
    {"neu", "neu", "new", anything},
    {"klein", "klein", "small", anything},
    {"groß", "groß", "big", anything},
    {"schön", "schön", "beautiful", anything},
    {"jung", "jung", "young", person},
    {"nett", "nett", "nice", person},
    {"klug", "klug", "clever", person},
    {"müd", "müde", "tired", person},
    {"krank", "krank", "ill", person},
    {"reich", "reich", "rich", person},
    {"glücklich", "glücklich", "happy", person},
    {"rot", "rot", "red", thing},
    {"blau", "blau", "blue", thing},
    {"grün", "grün", "green", thing},
    {"schwarz", "schwarz", "black", thing},
    {"teur", "teuer", "expensive", thing},
    {"billig", "billig", "cheap", thing},
    {"schwer", "schwer", "heavy", thing},
    {"kaputt", "kaputt", "broken", machine},
};

/// Verbs with an accusative object.
inline constexpr verb transitive_verbs[] = {
    {"kaufe", "kaufst", "kauft", "kaufen", "", "gekauft", "buy", "buys", "bought", thing, "", false},
    {"verkaufe", "verkaufst", "verkauft", "verkaufen", "", "verkauft", "sell", "sells", "sold", thing, "",
     false},
    {"lese", "liest", "liest", "lesen", "", "gelesen", "read", "reads", "read", readable, "", false},
    {"lese", "liest", "liest", "lesen", "vor", "vorgelesen", "recite", "recites", "recited", readable, "",
     false},
    {"schreibe", "schreibst", "schreibt", "schreiben", "", "geschrieben", "write", "writes", "wrote",
     readable, "", false},
    {"schreibe", "schreibst", "schreibt", "schreiben", "ab", "abgeschrieben", "copy", "copies", "copied",
     readable, "", false},
    {"suche", "suchst", "sucht", "suchen", "", "gesucht", "look for", "looks for", "looked for", anything, "",
     false},
    {"finde", "findest", "findet", "finden", "", "gefunden", "find", "finds", "found", anything, "", false},
    {"sehe", "siehst", "sieht", "sehen", "", "gesehen", "see", "sees", "saw", anything, "", false},
    {"sehe", "siehst", "sieht", "sehen", "an", "angesehen", "look at", "looks at", "looked at", anything, "",
     false},
    {"besuche", "besuchst", "besucht", "besuchen", "", "besucht", "visit", "visits", "visited", person, "",
     false},
    {"rufe", "rufst", "ruft", "rufen", "an", "angerufen", "call", "calls", "called", person, "", false},
    {"lade", "lädst", "lädt", "laden", "ein", "eingeladen", "invite", "invites", "invited", person, "",
     false},
    {"hole", "holst", "holt", "holen", "ab", "abgeholt", "collect", "collects", "collected",
     person | portable, "", false},
    {"mache", "machst", "macht", "machen", "auf", "aufgemacht", "open", "opens", "opened", opens, "", false},
    {"mache", "machst", "macht", "machen", "zu", "zugemacht", "close", "closes", "closed", opens, "", false},
    {"bringe", "bringst", "bringt", "bringen", "mit", "mitgebracht", "bring", "brings", "brought",
     person | portable, "", false},
    {"ziehe", "ziehst", "zieht", "ziehen", "an", "angezogen", "put on", "puts on", "put on", clothing, "",
     false},
    {"ziehe", "ziehst", "zieht", "ziehen", "aus", "ausgezogen", "take off", "takes off", "took off", clothing,
     "", false},
    {"esse", "isst", "isst", "essen", "", "gegessen", "eat", "eats", "ate", edible, "", false},
    {"trage", "trägst", "trägt", "tragen", "", "getragen", "carry", "carries", "carried", portable, "",
     false},
    {"verliere", "verlierst", "verliert", "verlieren", "", "verloren", "lose", "loses", "lost", portable, "",
     false},
    {"vergesse", "vergisst", "vergisst", "vergessen", "", "vergessen", "forget", "forgets", "forgot",
     anything, "", false},
    {"brauche", "brauchst", "braucht", "brauchen", "", "gebraucht", "need", "needs", "needed", anything, "",
     false},
    {"frage", "fragst", "fragt", "fragen", "", "gefragt", "ask", "asks", "asked", person, "", false},
    {"repariere", "reparierst", "repariert", "reparieren", "", "repariert", "repair", "repairs", "repaired",
     machine, "", false},
    {"schalte", "schaltest", "schaltet", "schalten", "ein", "eingeschaltet", "switch on", "switches on",
     "switched on", electric, "", false},
    {"schalte", "schaltest", "schaltet", "schalten", "aus", "ausgeschaltet", "switch off", "switches off",
     "switched off", electric, "", false},
    {"gebe", "gibst", "gibt", "geben", "zurück", "zurückgegeben", "return", "returns", "returned", portable,
     "", false},
    {"werfe", "wirfst", "wirft", "werfen", "weg", "weggeworfen", "throw away", "throws away", "threw away",
     portable, "", false},
};

/// Verbs without an object; some take a place.
inline constexpr verb intransitive_verbs[] = {
    {"arbeite", "arbeitest", "arbeitet", "arbeiten", "", "gearbeitet", "work", "works", "worked", 0, "in",
     false},
    {"wohne", "wohnst", "wohnt", "wohnen", "", "gewohnt", "live", "lives", "lived", 0, "in", false},
    {"komme", "kommst", "kommt", "kommen", "an", "angekommen", "arrive", "arrives", "arrived", 0, "in", true},
    {"steige", "steigst", "steigt", "steigen", "um", "umgestiegen", "change trains", "changes trains",
     "changed trains", 0, "in", true},
    {"fahre", "fährst", "fährt", "fahren", "", "gefahren", "drive", "drives", "drove", 0, "nach", true},
    {"fliege", "fliegst", "fliegt", "fliegen", "", "geflogen", "fly", "flies", "flew", 0, "nach", true},
    {"ziehe", "ziehst", "zieht", "ziehen", "um", "umgezogen", "move", "moves", "moved", 0, "nach", true},
    {"stehe", "stehst", "steht", "stehen", "auf", "aufgestanden", "get up", "gets up", "got up", 0, "", true},
    {"schlafe", "schläfst", "schläft", "schlafen", "", "geschlafen", "sleep", "sleeps", "slept", 0, "",
     false},
    {"schlafe", "schläfst", "schläft", "schlafen", "ein", "eingeschlafen", "fall asleep", "falls asleep",
     "fell asleep", 0, "", true},
    {"lache", "lachst", "lacht", "lachen", "", "gelacht", "laugh", "laughs", "laughed", 0, "", false},
    {"tanze", "tanzt", "tanzt", "tanzen", "", "getanzt", "dance", "dances", "danced", 0, "", false},
    {"komme", "kommst", "kommt", "kommen", "zurück", "zurückgekommen", "come back", "comes back", "came back",
     0, "", true},
};

/// A city and its English name.
struct city {
  std::string_view german, english;
};

/// Where people live and go.
inline constexpr city cities[] = {
    {"Berlin", "Berlin"},    {"Hamburg", "Hamburg"}, {"München", "Munich"}, {"Köln", "Cologne"},
    {"Wien", "Vienna"},      {"Zürich", "Zurich"},   {"Rom", "Rome"},       {"Prag", "Prague"},
    {"Brüssel", "Brussels"}, {"Mailand", "Milan"},   {"Venedig", "Venice"}, {"Genf", "Geneva"},
    {"Athen", "Athens"},     {"Warschau", "Warsaw"}, {"Paris", "Paris"},    {"London", "London"}};

}  // namespace formwork::embedded
