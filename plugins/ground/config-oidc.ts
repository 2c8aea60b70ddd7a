import { Type } from '@sinclair/typebox'
import { type OidcSettings } from '../../services/areas/auth/index.js'
import { isPlain, oidcCallbackPath } from '../../services/areas/auth/oidc-addresses.js'
import { parseOidcRule } from '../../services/areas/auth/oidc-rules.js'
import { isKeyOf } from '../../services/ground/one-of.js'

/** The variables for OpenID Connect. */
export const oidcVariables = {
  SVC_WEBUI_OIDC_ISSUER: Type.Optional(Type.String({ description: 'the address of an issuer' })),
  SVC_WEBUI_OIDC_CLIENT_ID: Type.Optional(Type.String({ description: 'a client id' })),
  SVC_WEBUI_OIDC_CLIENT_SECRET: Type.Optional(Type.String({ minLength: 1, description: 'a client secret' })),
  SVC_WEBUI_OIDC_SCOPES: Type.Optional(Type.String({ description: 'scopes, separated by spaces' })),
  SVC_WEBUI_OIDC_ALLOW: Type.Optional(Type.String({ description: 'who is let in, separated by commas' })),
  SVC_WEBUI_OIDC_NAME: Type.Optional(Type.String({ maxLength: 60, description: 'a name of at most 60 characters' })),
  SVC_WEBUI_OIDC_REDIRECT: Type.Optional(Type.String({ description: 'an address' }))
}
export type OidcVariables = Partial<Record<keyof typeof oidcVariables, string>>

/** Reads the settings; returns null without an issuer. Adds what is wrong to `problems`. */
export function readOidc (values: OidcVariables, problems: string[]): OidcSettings | null {
  const {
    SVC_WEBUI_OIDC_ISSUER: issuer, SVC_WEBUI_OIDC_CLIENT_ID: clientId, SVC_WEBUI_OIDC_REDIRECT: redirectUri,
    SVC_WEBUI_OIDC_SCOPES: scopes = 'openid email profile'
  } = values
  if (issuer === undefined) {
    for (const name of Object.keys(oidcVariables)) {
      if (isKeyOf(values, name) && values[name] !== undefined) problems.push(`${name} needs SVC_WEBUI_OIDC_ISSUER`)
    }
    return null
  }
  const before = problems.length
  if (!isReachedSafely(issuer)) {
    problems.push(`SVC_WEBUI_OIDC_ISSUER must be an https address (http only on this machine) without a query, not "${issuer}"`)
  }
  if (clientId === undefined) problems.push('SVC_WEBUI_OIDC_ISSUER needs SVC_WEBUI_OIDC_CLIENT_ID')
  if (!scopes.split(/\s+/).includes('openid')) problems.push('SVC_WEBUI_OIDC_SCOPES must contain openid')
  if (redirectUri !== undefined && !(isReachedSafely(redirectUri) && new URL(redirectUri).pathname === oidcCallbackPath)) {
    problems.push(
      `SVC_WEBUI_OIDC_REDIRECT must be this service's own address with the path ${oidcCallbackPath}, https or on this machine, not "${redirectUri}"`
    )
  }
  const entries = (values.SVC_WEBUI_OIDC_ALLOW ?? '').split(',').map((entry) => entry.trim()).filter((entry) => entry !== '')
  if (entries.length === 0) {
    problems.push('SVC_WEBUI_OIDC_ISSUER needs SVC_WEBUI_OIDC_ALLOW: without it everybody who has an account there would be let in. Name who is, such as email:you@example.org, sub:<subject> or claim:groups=admins')
  }
  const allow = entries.flatMap((entry) => {
    const rule = parseOidcRule(entry)
    if (rule === null) problems.push(`SVC_WEBUI_OIDC_ALLOW: "${entry}" is not sub:<subject>, email:<address> or claim:<name>=<value>`)
    return rule ?? []
  })
  if (clientId === undefined || problems.length > before) return null
  return {
    issuer,
    clientId,
    clientSecret: values.SVC_WEBUI_OIDC_CLIENT_SECRET ?? null,
    scopes: scopes.trim().split(/\s+/).join(' '),
    allow,
    name: values.SVC_WEBUI_OIDC_NAME ?? new URL(issuer).host,
    redirectUri: redirectUri ?? null
  }
}

function isReachedSafely (address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, search, hash, username, password } = new URL(address)
  return (protocol === 'https:' || isPlain(address)) && search === '' && hash === '' && username === '' && password === ''
}
