import { Conflict, Invalid, type DomainError } from '../../../ground/errors.js'
import { redact } from '../../../ground/redaction/index.js'
import { noRoomIn, notARepository, otherOperation, othersRepository } from '../errors.js'
import { withoutPaths, type GitOutcome } from '../run.js'

const longestSentence = 400

/**
 * Converts a failed command with a remote into an error for the person: `auth_failed`, `network_failed`, `rejected`,
 * `not_a_repo`, `operation_in_progress`, `disk_full` or `git_failed`. `action` is what was tried. Pure.
 */
export function remoteRefusal ({ stdout, stderr, exitCode }: GitOutcome, remote: string, action: 'fetch' | 'push'): DomainError {
  const [, refused, why = ''] = /^!\t[^\t]*\t\[(rejected|remote rejected)\] ?(.*)$/m.exec(stdout.toString()) ?? []
  if (refused !== undefined) return rejection(refused, why, stderr, remote)
  const full = noRoomIn(stderr)
  if (full !== null) return full
  if (/not a git repository \(or any|must be run in a work tree|cannot use bare repository/.test(stderr)) {
    return notARepository()
  }
  if (stderr.includes('dubious ownership')) return othersRepository()
  if (/\.lock': File exists|could not lock|cannot lock ref|Another git process/.test(stderr)) {
    return otherOperation()
  }
  if (/from proxy after CONNECT|CONNECT tunnel failed|returned error: 407|Could not resolve proxy|Proxy CONNECT aborted/i.test(stderr)) {
    return new Invalid(
      `${remote} cannot be reached: a proxy is in the way${/\b407\b/.test(stderr) ? ' and wants a login' : ''}. Check outgoing.proxy in config.yaml, or HTTPS_PROXY and HTTP_PROXY`,
      'network_failed'
    )
  }
  if (/could not read (?:Username|Password)|Authentication failed|Permission denied \(|Too many authentication failures|returned error: 401|terminal prompts disabled/i.test(stderr)) {
    return new Invalid(
      `${remote} needs a sign-in that git does not have here. Set up a credential helper or an ssh key for the user that runs this service`,
      'auth_failed'
    )
  }
  if (/Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/.test(stderr)) {
    return new Invalid(
      `The host key of ${remote} is not known here or has changed. Connect once from a terminal to check it`, 'auth_failed'
    )
  }
  if (stderr.includes('returned error: 403')) {
    return action === 'push'
      ? new Conflict(`${remote} does not allow this push${said(stderr)}`, 'rejected')
      : new Invalid(`${remote} does not allow this login to read${said(stderr)}`, 'auth_failed')
  }
  if (/Could not resolve host|Failed to connect|Couldn't connect|Connection (?:refused|timed out|reset|closed)|No route to host|Network is unreachable|Could not connect|timed out|Operation too slow|Name or service not known|Temporary failure in name resolution|SSL|certificate|GnuTLS|unexpected disconnect|early EOF|RPC failed|hung up unexpectedly|returned error: 5\d\d|Empty reply/i.test(stderr)) {
    return new Invalid(`${remote} cannot be reached${reason(stderr)}`, 'network_failed')
  }
  if (/strange (?:hostname|pathname|port)/.test(stderr)) {
    return new Invalid(`git does not accept the address of ${remote}`, 'git_failed')
  }
  if (/does not appear to be a git repository|Could not read from remote repository|repository .*not found|returned error: 404/i.test(
    stderr
  )) {
    return new Invalid(`There is no repository at the address of ${remote}, or this login may not see it`, 'git_failed')
  }
  return new Invalid(`git refused${reason(stderr) || `: exit code ${exitCode}`}`, 'git_failed')
}

function rejection (kind: string, why: string, stderr: string, remote: string): DomainError {
  if (kind === 'rejected' && /fetch first|non-fast-forward|stale info|needs force/.test(why)) {
    return new Conflict(`${remote} has commits that this branch does not have. Pull them first, then push again`, 'rejected')
  }
  return new Conflict(`${remote} rejected the push${why === '' ? '' : ` ${clean(why)}`}${said(stderr)}`, 'rejected')
}

/** Returns what the remote said, in one sentence. */
function said (stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).flatMap((line) => /^remote: ?(.*)$/.exec(line)?.[1]?.trim() ?? []).filter((line) =>
    line !== '' && !/^(?:error: hook declined|Resolving deltas|Counting|Compressing|Enumerating|Total )/.test(line))
  return lines.length === 0 ? '' : `: ${clean(lines.join(' '))}`
}

function reason (stderr: string): string {
  const line = /^(?:fatal|error): (.*)/m.exec(stderr)?.[1]
  // Quoted text that is not a ref is mostly an address.
  return line === undefined ? '' : `: ${clean(line.replace(/(?<!\w)'(?!refs\/).+'/, "'…'"))}`
}

/** Removes credentials, addresses and paths of this machine. */
export function clean (text: string): string {
  const plain = redact(text).replaceAll(/[\p{Cc}\s]+/gu, ' ').replaceAll(/\b[a-z][a-z0-9+.-]*:\/\/[^\s'"]+/gi, (url) =>
    URL.canParse(url) ? new URL(url).host : 'the address')
  return redact(withoutPaths(plain)).trim().slice(0, longestSentence)
}
