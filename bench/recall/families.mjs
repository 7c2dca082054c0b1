// What can be known of a part of a made-up program, in kinds. Each kind says its fact in four ways: as it is remembered, as it is said
// in a session, and asked for in its words and in others. Kinds with `held` are looked at last: nothing in chitta was chosen by them.

const pick = (list) => (next) => list[Math.floor(next() * list.length)];
const whole =
  (from, to, step = 1) =>
  (next) =>
    from + step * Math.floor(next() * ((to - from) / step + 1));

const CODE = ['retry', 'parse', 'render', 'merge', 'resolve', 'collect', 'refresh', 'validate'];
const THING = ['Delivery', 'Token', 'Batch', 'Cursor', 'Payload', 'Window', 'Snapshot', 'Quota'];
const symbol = (next) => `${pick(CODE)(next)}${pick(THING)(next)}${pick(['', 'Queue', 'Once', 'Index'])(next)}`;
const path = (next) =>
  `src/${pick(['core', 'jobs', 'web', 'lib'])(next)}/${pick(['backoff', 'guard', 'loader', 'limits', 'writer', 'router'])(next)}-${whole(2, 99)(next)}.ts`;
const person = pick(['Amara', 'Bruno', 'Chiyo', 'Dmitri', 'Elif', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas']);
const store = pick(['Postgres', 'SQLite', 'Redis', 'MySQL', 'DynamoDB', 'Mongo']);
const weekday = pick(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']);
const month = pick(['January', 'February', 'April', 'June', 'July', 'August', 'October', 'December']);
/** A symbol's words, as a person says them who does not remember how it is written. */
const spoken = (name) => name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

/** Parts of the program. */
export const SUBJECTS =
  'billing search mailer scheduler invoice gateway catalog checkout notifier uploader thumbnail crawler importer exporter webhook inventory shipping pricing audit profile calendar payroll feedback sitemap'.split(
    ' ',
  );

/**
 * `value`: what is drawn for a fact, by field. `kinds`: what a trap may change of it. `not`: says the opposite.
 * `again`: the same in other words, which a memory may say.
 */
export const FAMILIES = [
  {
    name: 'port',
    value: { port: whole(3000, 9900, 7) },
    kinds: { port: 'number' },
    say: ({ s, port }) => `The ${s} service listens on port ${port}.`,
    again: ({ s, port }) => `Port ${port} is what the ${s} service listens on.`,
    told: ({ s, port }) => `I started it: ${s} now listens on port ${port} and answers the health check.`,
    not: ({ s, port }) => `The ${s} service does not listen on port ${port}.`,
    ask: ({ s }) => `Which port does the ${s} service listen on?`,
    other: ({ s }) => `how do I connect to ${s} on my machine`,
  },
  {
    name: 'timeout',
    value: { wait: whole(5, 90), unit: pick(['seconds', 'minutes']) },
    kinds: { wait: 'number', unit: 'unit' },
    say: ({ s, wait, unit }) => `Requests to ${s} time out after ${wait} ${unit}.`,
    again: ({ s, wait, unit }) => `The timeout of requests to ${s} is ${wait} ${unit}.`,
    told: ({ s, wait, unit }) => `Measured: a request to ${s} that gets no answer is given up after ${wait} ${unit}.`,
    not: ({ s, wait, unit }) => `Requests to ${s} never time out after ${wait} ${unit}.`,
    ask: ({ s }) => `After how long do requests to ${s} time out?`,
    other: ({ s }) => `how long do we wait when ${s} does not answer`,
  },
  {
    name: 'table',
    value: {
      db: store,
      table: (next) =>
        `${pick(['raw', 'daily', 'open', 'old'])(next)}_${pick(['rows', 'entries', 'events', 'items'])(next)}_${whole(2, 99)(next)}`,
    },
    kinds: { db: 'word', table: 'name' },
    say: ({ s, db, table }) => `Records of ${s} are stored in ${db}, in the table ${table}.`,
    again: ({ s, db, table }) => `${db} stores the records of ${s}, in table ${table}.`,
    told: ({ s, db, table }) => `The rows of ${s} end up in ${table}, which is a table in ${db}.`,
    not: ({ s, db, table }) => `Records of ${s} are not stored in ${db}, in the table ${table}.`,
    ask: ({ s }) => `In which table are the records of ${s} stored?`,
    other: ({ s }) => `where does the data of ${s} end up`,
    id: ({ table }) => table,
  },
  {
    name: 'owner',
    value: { who: person },
    kinds: { who: 'word' },
    say: ({ s, who }) => `${who} owns the ${s} module and reviews its changes.`,
    again: ({ s, who }) => `The ${s} module is owned by ${who}, who reviews its changes.`,
    told: ({ s, who }) => `According to the list of owners, ${s} belongs to ${who}.`,
    not: ({ s, who }) => `${who} no longer owns the ${s} module nor reviews its changes.`,
    ask: ({ s }) => `Who owns the ${s} module?`,
    other: ({ s }) => `whom should I ask for a review of ${s}`,
  },
  {
    name: 'file',
    value: { file: path },
    kinds: { file: 'path' },
    say: ({ s, file }) => `The retry logic of ${s} lives in ${file}.`,
    again: ({ s, file }) => `${file} holds the retry logic of ${s}.`,
    told: ({ s, file }) => `Found it: what retries ${s} is in ${file}, below the imports.`,
    not: ({ s, file }) => `The retry logic of ${s} is not in ${file}.`,
    ask: ({ s }) => `Where does the retry logic of ${s} live?`,
    other: ({ s }) => `which file tries ${s} again after an error`,
    id: ({ file }) => file,
  },
  {
    name: 'rule',
    value: { where: pick(['migrations', 'tests', 'hooks', 'scripts']) },
    kinds: { where: 'word' },
    say: ({ s, where }) => `Never call the ${s} API from ${where}.`,
    again: ({ s, where }) => `The ${s} API must not be called from ${where}.`,
    told: ({ s, where }) => `Please never call the API of ${s} from ${where}, it cost us a weekend.`,
    not: ({ s, where }) => `Always call the ${s} API from ${where}.`,
    ask: ({ s }) => `From where must the ${s} API never be called?`,
    other: ({ s }) => `is there a place where using ${s} is forbidden`,
  },
  {
    name: 'command',
    value: {
      flag: (next) =>
        `--${pick(['fast', 'bail', 'serial', 'update', 'quiet'])(next)}-${pick(['run', 'mode', 'all'])(next)}`,
    },
    kinds: { flag: 'name' },
    say: ({ s, flag }) => `Tests of ${s} are run with npm run test:${s} ${flag}.`,
    again: ({ s, flag }) => `Run the tests of ${s} with npm run test:${s} ${flag}.`,
    told: ({ s, flag }) => `The tests of ${s} passed; I ran npm run test:${s} ${flag}.`,
    not: ({ s, flag }) => `Tests of ${s} are not run with npm run test:${s} ${flag}.`,
    ask: ({ s }) => `How are the tests of ${s} run?`,
    other: ({ s }) => `how do I check that ${s} still works`,
  },
  {
    name: 'cause',
    value: { fn: symbol },
    kinds: { fn: 'name' },
    say: ({ s, fn }) => `The outage of ${s} came from a race in ${fn}.`,
    again: ({ s, fn }) => `A race in ${fn} caused the outage of ${s}.`,
    told: ({ s, fn }) => `The outage of ${s} is explained: two calls of ${fn} raced each other.`,
    not: ({ s, fn }) => `The outage of ${s} did not come from a race in ${fn}.`,
    ask: ({ s }) => `What did the outage of ${s} come from?`,
    other: ({ s }) => `why was ${s} down`,
    id: ({ fn }) => fn,
    loose: ({ fn }) => spoken(fn),
  },
  {
    name: 'schedule',
    value: { day: weekday, hour: whole(1, 22) },
    kinds: { day: 'date', hour: 'number' },
    say: ({ s, day, hour }) => `The ${s} job runs every ${day} at ${hour}:00.`,
    again: ({ s, day, hour }) => `Every ${day} at ${hour}:00 the ${s} job runs.`,
    told: ({ s, day, hour }) => `The crontab has the job of ${s} on each ${day}, at ${hour}:00.`,
    not: ({ s, day, hour }) => `The ${s} job does not run every ${day} at ${hour}:00.`,
    ask: ({ s }) => `When does the ${s} job run?`,
    other: ({ s }) => `at what time of the week is ${s} processed`,
  },
  {
    name: 'variable',
    value: {
      env: (next) =>
        `${pick(['PROD', 'MAIN', 'EDGE', 'CORE'])(next)}_${pick(['ACCESS', 'SIGNING', 'UPLOAD', 'READER'])(next)}_KEY${whole(2, 99)(next)}`,
    },
    kinds: { env: 'name' },
    say: ({ s, env }) => `The credentials of ${s} are read from the variable ${env}.`,
    again: ({ s, env }) => `${env} is the variable from which the credentials of ${s} are read.`,
    told: ({ s, env }) => `With ${env} set, the credentials of ${s} are picked up.`,
    not: ({ s, env }) => `The credentials of ${s} are never read from the variable ${env}.`,
    ask: ({ s }) => `From which variable are the credentials of ${s} read?`,
    other: ({ s }) => `what must be set in the environment so that ${s} may log in`,
    id: ({ env }) => env,
  },
  {
    name: 'limit',
    value: { most: whole(100, 9000, 50) },
    kinds: { most: 'number' },
    say: ({ s, most }) => `The ${s} queue keeps at most ${most} entries.`,
    again: ({ s, most }) => `At most ${most} entries are kept in the ${s} queue.`,
    told: ({ s, most }) => `When it has ${most} entries, the queue of ${s} throws the oldest away.`,
    not: ({ s, most }) => `The ${s} queue does not keep at most ${most} entries.`,
    ask: ({ s }) => `How many entries does the ${s} queue keep?`,
    other: ({ s }) => `from what size on does ${s} lose jobs`,
  },
  {
    name: 'deploy',
    held: true,
    value: { branch: (next) => `release/${whole(1, 9)(next)}.${whole(0, 30)(next)}`, who: person },
    kinds: { branch: 'path', who: 'word' },
    say: ({ s, branch, who }) => `Deploy ${s} from ${branch} only, after ${who} has approved.`,
    again: ({ s, branch, who }) => `Only from ${branch} is ${s} deployed, after ${who} has approved it.`,
    told: ({ s, branch, who }) => `Deployed: ${s} went out from ${branch} once ${who} had approved.`,
    not: ({ s, branch, who }) => `Do not deploy ${s} from ${branch}, even after ${who} has approved.`,
    ask: ({ s }) => `From which branch do we deploy ${s}?`,
    other: ({ s }) => `how does a new version of ${s} reach the users`,
  },
  {
    name: 'cache',
    held: true,
    value: {
      life: whole(2, 55),
      unit: pick(['minutes', 'hours']),
      key: (next) =>
        `${pick(['page', 'user', 'item'])(next)}:${pick(['view', 'sum', 'list'])(next)}:v${whole(2, 60)(next)}`,
    },
    kinds: { life: 'number', unit: 'unit', key: 'name' },
    say: ({ s, life, unit, key }) => `Answers of ${s} are cached for ${life} ${unit} under ${key}.`,
    again: ({ s, life, unit, key }) => `Under ${key}, answers of ${s} stay cached for ${life} ${unit}.`,
    told: ({ s, life, unit, key }) => `The cache keeps what ${s} answered for ${life} ${unit}; the entry is ${key}.`,
    not: ({ s, life, unit, key }) => `Answers of ${s} are not cached for ${life} ${unit} under ${key}.`,
    ask: ({ s }) => `For how long are answers of ${s} cached?`,
    other: ({ s }) => `how stale may a result of ${s} be`,
    id: ({ key }) => key,
  },
  {
    name: 'fix',
    held: true,
    value: { fn: symbol, file: path },
    kinds: { fn: 'name', file: 'path' },
    say: ({ s, fn, file }) => `${fn} dropped the last line of ${s}; the fix is in ${file}.`,
    again: ({ s, fn, file }) => `The fix in ${file} keeps ${fn} from having dropped the last line of ${s}.`,
    told: ({ s, fn, file }) => `Fixed in ${file}: the last line of ${s} was dropped by ${fn}.`,
    not: ({ s, fn, file }) => `${fn} never dropped the last line of ${s}; the fix is not in ${file}.`,
    ask: ({ s }) => `What dropped the last line of ${s}?`,
    other: ({ s }) => `something went missing at the end of ${s}, do we know why`,
    id: ({ fn }) => fn,
    loose: ({ fn }) => spoken(fn),
  },
  {
    name: 'move',
    held: true,
    value: { month, db: store, year: whole(2024, 2031) },
    kinds: { month: 'date', db: 'word', year: 'number' },
    say: ({ s, db, month: m, year }) => `We move ${s} to ${db} in ${m} ${year}.`,
    again: ({ s, db, month: m, year }) => `In ${m} ${year}, ${s} is moved to ${db}.`,
    told: ({ s, db, month: m, year }) => `The plan says that ${s} goes over to ${db} in ${m} ${year}.`,
    not: ({ s, db, month: m, year }) => `We do not move ${s} to ${db} in ${m} ${year}.`,
    ask: ({ s }) => `When do we move ${s}?`,
    other: ({ s }) => `what becomes of the storage behind ${s}`,
  },
];

/** A fact of a kind about a subject: its values, drawn. */
export function draw({ value }, s, next) {
  return { s, ...Object.fromEntries(Object.entries(value).map(([field, of]) => [field, of(next)])) };
}

/** The same with another value in one field. */
export function redrawn({ value }, fact, field, next) {
  for (;;) {
    const other = value[field](next);
    if (other !== fact[field]) return { ...fact, [field]: other };
  }
}
