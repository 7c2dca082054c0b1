/** The words by which texts are compared: what negates, what counts, what says nothing by itself. */

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const NEGATIONS: ReadonlySet<string> = words(
  'not no never without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt mustnt couldnt hasnt havent ' +
    'avoid avoids avoided avoiding stop stops stopped except unless neither nor none nothing forbid forbids forbidden ' +
    'prohibit prohibits prohibited disallow disallowed instead rather nicht kein keine keinen niemals pas jamais nunca не нельзя नहीं',
);
/** Negation written without spaces around it. */
export const HAN_NEGATION: RegExp = /[不没沒勿莫別别未無无]|ない|ません|않|없|안 /u;

export const STOP_WORDS: ReadonlySet<string> = words(
  'a an and are as at be been being but by for from has have had he her his i if in into is it its me my of on off or our out ' +
    'she so than that the their them then there these they this those to too up was we were what when where which while who ' +
    'us will with would you your also just only very please now here can could may might must shall should do does did done ' +
    'one some any all each every both about over under again always',
);
export const ARTICLES: ReadonlySet<string> = words('a an the please');
/** What is said around a statement, not in it. */
export const FILLERS: ReadonlySet<string> = words(
  'ok okay yes noted understood thanks thank sure decision decided remember reminder fyi said asked again already but',
);
/** What joins the members of a list. */
export const LINKS: ReadonlySet<string> = words('and or und oder et y');
/** Words that say which way something goes, or what stands on which side. */
export const DIRECTIONS: ReadonlySet<string> = words('from to into onto over than on by before after via until');
/** Words that stand for what was named before a word of direction ("the file from which it is read"). */
export const RELATIVES: ReadonlySet<string> = words('which whom that where');
/** Verbs of no meaning of their own: a fact reworded often changes these, and nothing else. */
export const LIGHT_VERBS: ReadonlySet<string> = words(
  'use uses used using run runs ran running set sets setting get gets got make makes made need needs needed want wants ' +
    'keep keeps kept take takes go goes put puts work works working listen listens listening live lives stand stands ' +
    'call calls called let lets happen happens require requires required remember note know like ' +
    'hold holds held holding contain contains contained',
);

export const UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ns: 'ns nanosecond nanoseconds',
    us: 'us µs microsecond microseconds',
    ms: 'ms msec millisecond milliseconds',
    s: 's sec secs second seconds',
    min: 'min mins minute minutes',
    h: 'h hr hrs hour hours',
    d: 'd day days',
    week: 'week weeks',
    month: 'month months',
    year: 'year years',
    b: 'b byte bytes',
    bit: 'bit bits',
    kb: 'kb kib kilobyte kilobytes',
    mb: 'mb mib megabyte megabytes',
    gb: 'gb gib gigabyte gigabytes',
    tb: 'tb tib terabyte terabytes',
    '%': '% percent',
    px: 'px pixel pixels',
    times: 'x times',
    k: 'k thousand',
    m: 'm million',
    hz: 'hz',
    khz: 'khz',
    mhz: 'mhz',
    ghz: 'ghz',
  }).flatMap(([unit, names]) => names.split(' ').map((name): [string, string] => [name, unit])),
);
/** Letters that are units only when they stand right behind the digits. */
export const ATTACHED_ONLY: ReadonlySet<string> = words('x m k b');

export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  'zero,,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve'
    .split(',')
    .flatMap((word, value): [string, string][] => (word === '' ? [] : [[word, String(value)]])),
);

export const CALENDAR: ReadonlySet<string> = words(
  'monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays ' +
    'january february april june july august september october november december',
);
