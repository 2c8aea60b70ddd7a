import { userInfo } from 'node:os'
import { redact } from '../../ground/redaction/index.js'

/** Makes texts safe to post in public. */
export interface Tidy {
  text: (text: string) => string
  /** For texts with commands, which a person may run as another user. */
  fix: (text: string) => string
}

const mostChars = 1_500
const otherHome = /(?<![\w.~-])\/(var\/home|home|Users)\/(?:\\.|[^/\s'"\\])*(?:\\.|[^/\s'".,:;\\])/g

/**
 * Masks credentials and the names of home folders. The home of the service's user becomes `~`, or `~user` in commands, so that they still
 * work.
 */
export function createTidy (userHome: string, account = ownAccount()): Tidy {
  const home = userHome.replace(/\/+$/, '')
  const forms = [home, shellPath(home)].map(escaped).join('|')
  const own = home === '' ? null : new RegExp(`(?<![\\w.~-])(?:${forms})(?![\\w-]|\\.\\w)`, 'g')
  const named = account !== null && account.home === home ? `~${account.name}` : '~'
  const tidied = (sign: string) => (text: string): string => {
    const masked = redact(text)
    return (own === null ? masked : masked.replace(own, () => sign)).replace(otherHome, '/$1/…').slice(0, mostChars)
  }
  return { text: tidied('~'), fix: tidied(named) }
}

/** Returns name and home of this process's user; null if the system does not know it, or a shell would not accept the name. */
function ownAccount (): { name: string, home: string } | null {
  try {
    const { username, homedir } = userInfo()
    return /^[\w.-]+$/.test(username) ? { name: username, home: homedir.replace(/\/+$/, '') } : null
  } catch {
    return null
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Escapes a path for use in a shell command. */
export const shellPath = (path: string): string => path.replace(/[^\w@%+=:,./~-]/g, '\\$&')

export function sizeWords (bytes: number): string {
  if (bytes < 1024 ** 2) return `${Math.round(bytes / 1024)} KiB`
  return bytes < 1024 ** 3 ? `${Math.round(bytes / 1024 ** 2)} MiB` : `${(bytes / 1024 ** 3).toFixed(1)} GiB`
}

export function ageWords (seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} minutes`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} hours` : `${Math.round(seconds / 86_400)} days`
}
