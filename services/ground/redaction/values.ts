import { endsInName, isSecret } from './judging.js'

/** Names of variables that hold a secret, besides those that end with the name of one. */
const secretVariable = /(?:^|_)(?:KEY|PAT|AUTH|CREDENTIALS?|DSN|WEBHOOK|COOKIE)$/i
const password = /^[a-z][a-z\d+.-]*:\/\/[^\s:@/]*:([^\s@/]+)@/i

/** Returns the secrets among variables, judged by their names; of addresses, the passwords in them. */
export function secretsOfVariables (variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables).flatMap(([name, value = '']) => {
    const inAddress = password.exec(value)?.[1]
    if (inAddress !== undefined) return [inAddress]
    return (endsInName.test(name) || secretVariable.test(name)) && isSecret(value, name) ? [value] : []
  })
}

/** Does the same for settings, at every depth. */
export function secretsOfSettings (settings: unknown, depth = 0): string[] {
  if (typeof settings !== 'object' || settings === null || depth > 20) return []
  return Object.entries(settings).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string' ? secretsOfVariables({ [key]: value }) : secretsOfSettings(value, depth + 1))
}
