import { endsInName, isSecret } from './judging.js'

/** Names of variables that hold a secret, besides those that end in the name of one. */
const secretVariable = /(?:^|_)(?:KEY|PAT|AUTH|CREDENTIALS?|DSN|WEBHOOK|COOKIE)$/i
const password = /^[a-z][a-z\d+.-]*:\/\/[^\s:@/]*:([^\s@/]+)@/i

/** The secrets among variables, by their names; of addresses, the passwords in them. */
export function secretsOfVariables (variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables).flatMap(([name, value = '']) => {
    const inAddress = password.exec(value)?.[1]
    if (inAddress !== undefined) return [inAddress]
    return (endsInName.test(name) || secretVariable.test(name)) && isSecret(value, name) ? [value] : []
  })
}

/** The same of settings with keys of every depth. */
export function secretsOfSettings (settings: unknown, depth = 0): string[] {
  if (typeof settings !== 'object' || settings === null || depth > 20) return []
  return Object.entries(settings).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string' ? secretsOfVariables({ [key]: value }) : secretsOfSettings(value, depth + 1))
}
