import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Config } from './config.js'
import { knownSecrets, secretsOfVariables } from '../../services/ground/redaction/index.js'

/** Has the secrets of a configuration masked in every text of this process. */
export function keepSecrets ({ password, proxyHeader, oidc, env }: Pick<Config, 'password' | 'proxyHeader' | 'oidc' | 'env'>): void {
  knownSecrets.keep(secretsOfVariables(env))
  if (password !== null) knownSecrets.keep([password])
  if (oidc !== null && oidc.clientSecret !== null) knownSecrets.keep([oidc.clientSecret])
  // For a header such as `Authorization: Bearer …`, its last word too.
  if (proxyHeader !== null) knownSecrets.keep([proxyHeader.value, proxyHeader.value.replace(/^[^]*\s/, '')])
}

/**
 * Registers the secrets that the service was started with, which must not appear in any text. The first plugin of all,
 * because the others already log.
 */
export default fp(async (app: FastifyInstance) => { keepSecrets(app.config) }, { name: 'secrets', dependencies: ['config'] })
