import { redact } from '../../ground/redaction/index.js'

/** Makes a text fit to be posted in public. */
export type Tidy = (text: string) => string

const mostChars = 1_500
const otherHome = /(?<![\w.~-])\/(home|Users)\/[^/\s'"]*[^/\s'".,:;]/g

/** Masks credentials and names of home folders: that of the service's user becomes `~`, so that commands still work. */
export function createTidy (userHome: string): Tidy {
  const own = userHome.length > 1 ? new RegExp(`(?<![\\w.~-])${escaped(userHome)}(?![\\w-]|\\.\\w)`, 'g') : null
  return (text) => {
    const masked = redact(text)
    return (own === null ? masked : masked.replace(own, '~')).replace(otherHome, '/$1/…').slice(0, mostChars)
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A path as a part of a command of the shell. */
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
