/** Subjects of commits: at most 72 characters, so that logs and pages show them whole. */
import { spawnSync } from 'node:child_process'

const LONGEST = 72
/** The rule holds for what came after this commit. */
const SINCE = '5d8649bb10e9'

/** Subjects since the rule began, newest first; undefined where the history is not at hand. */
export function subjects(root: string): readonly string[] | undefined {
  const { status, stdout } = spawnSync('git', ['log', '--format=%s', `${SINCE}..HEAD`], {
    cwd: root,
    encoding: 'utf8',
  })
  return status === 0 ? stdout.split('\n').filter((subject) => subject !== '') : undefined
}

/** What is wrong with a subject, if anything. */
export function subjectFault(subject: string): string | undefined {
  // Git writes these itself.
  if (/^(?:Merge|Revert) /.test(subject)) return undefined
  if (subject.length > LONGEST)
    return `${subject.length} characters, ${LONGEST} at most: ${subject}`
  if (/^(?:wip\d*|format)$|^(?:fixup|squash)!/i.test(subject)) return `says nothing: ${subject}`
  return /^[A-Z]/.test(subject) ? undefined : `does not begin like a sentence: ${subject}`
}
