/** English verbs that rules about work begin with, in the form in which one is told to do something. */
const WORDS = `abbreviate abort accept access acknowledge activate adapt add address adhere adjust adopt aim align allow alter amend
  analyse analyze annotate announce answer append apply approve archive argue arrange ask assert assign assume attach audit author
  automate avoid back backport base batch be begin benchmark bind block branch break bring build bump bundle bypass cache call cap
  capitalize capture cast catch change check checkout choose cite clarify clean clear clone close collapse collect combine comment
  commit compare compile complete compress compute configure confirm connect consider consult convert copy correct count cover create
  cut deactivate debug declare decline default defer define delegate delete deliver depend deploy deprecate derive describe design
  destroy detect determine develop disable discard discuss display distinguish divide do document double download draft drop duplicate
  echo edit email embed emit enable encode encrypt end enforce ensure enter escape estimate exclude execute exit expand expect explain
  expose export express extend extract factor favor favour fetch fill filter find finish fix flag flatten focus follow force forget
  fork format forward freeze generate give go group guard guess handle hard-code hardcode hash hide highlight hold ignore implement import
  improve include increase indent indicate inform inherit initialise initialize inject inline insert inspect install instantiate
  invent invoke isolate join keep label leave let limit link lint list listen load localize lock log look lowercase maintain make mark match
  measure mention merge migrate minimise minimize mirror mix mock modify monitor move mutate name nest normalise normalize note notify
  number obey omit open optimise optimize order organise organize output overload override overwrite pack paraphrase parse pass paste
  patch pause pin pipe place plan point polish poll post prefer prefix prepare preserve press print prioritise prioritize proceed produce
  profile prompt proofread propose protect provide publish pull purge push put query quote raise read rebase rebuild recheck recommend
  record recreate redirect reduce refactor refer reference refuse regenerate register reject release rely remember remind remove rename
  render reorder repeat replace reply report request require rerun reserve reset resolve respect respond restart restore retain rethrow
  retry return reuse revert review revise rewrite roll rotate round run sanitise sanitize save say scan scope search select send separate
  serialise serialize serve set share ship shorten show shut sign simplify skip sort specify spell split squash stage start state stay
  step stick stop store stub style submit substitute suggest summarise summarize support surface suppress swallow switch sync tag take talk
  target tell terminate test thank think throw tidy toggle touch track translate treat trim truncate trust try turn type understand
  undo uninstall unify unit-test update upgrade upload uppercase use validate verify version view wait warn watch work wrap write`;

const VERBS: ReadonlySet<string> = new Set(WORDS.split(/\s+/));

/** Whether a word, in lower case, tells to do something; of `force-push` and `re-run` the verb may be either part. */
export function isImperative(word: string): boolean {
  if (VERBS.has(word)) return true;
  const dash = word.indexOf('-');
  return dash > 0 && (VERBS.has(word.slice(0, dash)) || VERBS.has(word.slice(word.lastIndexOf('-') + 1)));
}
