import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Config } from './config.js'
import { knownSecrets, secretsOfVariables } from '../../services/ground/redaction/index.js'

/** Has the secrets of a configuration redacted in every text of this process. */
export function keepSecrets ({ password, proxyHeader, oidc, env }: Pick<Config, 'password' | 'proxyHeader' | 'oidc' | 'env'>): void {
  knownSecrets.keep(secretsOfVariables(env))
  if (password !== null) knownSecrets.keep([password])
  if (oidc !== null && oidc.clientSecret !== null) knownSecrets.keep([oidc.clientSecret])
  // For a header such as `Authorization: Bearer …`, also its last word.
  if (proxyHeader !== null) knownSecrets.keep([proxyHeader.value, proxyHeader.value.replace(/^[^]*\s/, '')])
}

/** Redacts the secrets with which the service was started. It is the first plugin of all, because the others already log. */
export default fp(async (app: FastifyInstance) => { keepSecrets(app.config) }, { name: 'secrets', dependencies: ['config'] })
