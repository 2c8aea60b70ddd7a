import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { fileVersion, readHomeFile, replaceFile } from '../../ground/home/home-file.js'
import { tried } from '../../ground/tried.js'
import { parseJson } from '../../ground/text/parse-json.js'

const text = Type.String()
const nullableText = Type.Union([text, Type.Null()])
const credentials = Type.Object({
  /** The server's address for which they are valid. */
  url: text,
  issuer: text,
  tokenEndpoint: text,
  revocationEndpoint: nullableText,
  /** How a client authenticates at the token endpoint; null if the issuer does not say. */
  authMethods: Type.Union([Type.Array(text), Type.Null()]),
  resource: nullableText,
  clientId: text,
  clientSecret: nullableText,
  accessToken: text,
  refreshToken: nullableText,
  expiresAtMs: Type.Union([Type.Number(), Type.Null()])
})

/** The tokens from signing in at a server, and everything needed to renew them. */
export type McpCredentials = Static<typeof credentials>

const folderOf = (profileHome: string): string => join(profileHome, 'webui_state', 'mcp')
const nameOf = (server: string): string => `oauth-${createHash('sha256').update(server).digest('hex').slice(0, 24)}.json`
const fileOf = (profileHome: string, server: string): string => join(folderOf(profileHome), nameOf(server))

/** Reads credentials. Null if no person has signed in, or only at another address. `version` changes with the file. Never throws. */
export function readCredentials (profileHome: string, server: string, url: string): { found: McpCredentials, version: string } | null {
  const path = fileOf(profileHome, server)
  const version = fileVersion(path)
  const found = parsed(path)
  return found?.url === url ? { found, version } : null
}

/**
 * Writes credentials, readable by the service's user alone. They are on disk when it resolves.
 *
 * @param instead the version to replace; resolves with false if it is gone, because a person has signed out or in again.
 * Null: replaces whatever is there.
 */
export async function keepCredentials (
  profileHome: string, server: string, kept: McpCredentials, instead: string | null
): Promise<boolean> {
  const path = fileOf(profileHome, server)
  return await replaceFile(path, JSON.stringify(kept), {
    mode: 0o600, home: profileHome, isStillWanted: () => instead === null || fileVersion(path) === instead
  })
}

/** Whether a person has signed in at the server. */
export const hasCredentials = (profileHome: string, server: string): boolean => parsed(fileOf(profileHome, server)) !== null

/** Removes credentials and returns them; null if there were none. */
export function forgetCredentials (profileHome: string, server: string): McpCredentials | null {
  const path = fileOf(profileHome, server)
  const found = parsed(path)
  rmSync(path, { force: true })
  return found
}

/** Removes the credentials of all servers but these, and returns them. Never throws. */
export function forgetOtherCredentials (profileHome: string, servers: readonly string[]): McpCredentials[] {
  const known = new Set(servers.map(nameOf))
  return namesIn(profileHome).filter((name) => !known.has(name)).flatMap((name) => {
    const path = join(folderOf(profileHome), name)
    const found = parsed(path)
    try {
      rmSync(path, { force: true })
    } catch {
      return [] // it is retried next time
    }
    return found ?? []
  })
}

/** Returns every token and secret stored for a profile's servers, for redaction from texts. Never throws. */
export function mcpTokensOf (profileHome: string): string[] {
  return namesIn(profileHome).flatMap((name) => {
    const found = parsed(join(folderOf(profileHome), name))
    return found === null ? [] : secretsOfCredentials(found)
  })
}

export const secretsOfCredentials = ({ accessToken, refreshToken, clientSecret }: McpCredentials): string[] =>
  [accessToken, refreshToken, clientSecret].filter((value) => value !== null)

const namesIn = (profileHome: string): string[] =>
  tried(() => readdirSync(folderOf(profileHome)).filter((name) => /^oauth-[0-9a-f]{24}\.json$/.test(name)), [])

function parsed (path: string): McpCredentials | null {
  const read = readHomeFile(path)
  if (read === undefined || !('text' in read)) return null
  const found = parseJson(read.text)
  return Value.Check(credentials, found) ? found : null
}
