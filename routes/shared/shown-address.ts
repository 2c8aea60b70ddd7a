import { redact } from '../../services/ground/redaction/index.js'

/** Returns the address of a server without the user name, password and keys that it may contain. */
export function shownAddress (address: string): string
export function shownAddress (address: string | null): string | null
export function shownAddress (address: string | null): string | null {
  return address === null ? null : redact(address.replace(/^(https?:\/\/)[^/@]*@/, '$1'))
}
