import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Config } from './config.js'
import { knownSecrets, secretsOfVariables } from '../../services/ground/redaction/index.js'

/** Has the secrets of a configuration masked in every text of this process. */
export function keepSecrets ({ password, proxyHeader, oidc, env }: Pick<Config, 'password' | 'proxyHeader' | 'oidc' | 'env'>): void {
  knownSecrets.keep(secretsOfVariables(env))
  if (password !== null) knownSecrets.keep([password])
  if (oidc !== null && oidc.clientSecret !== null) knownSecrets.keep([oidc.clientSecret])
  // Of a header such as `Authorization: Bearer …`, its last word.
  if (proxyHeader !== null) knownSecrets.keep([proxyHeader.value, proxyHeader.value.replace(/^[^]*\s/, '')])
}

/** What the service was started with and must not be seen in any text: the first plugin of all, as others already log. */
export default fp(async (app: FastifyInstance) => { keepSecrets(app.config) }, { name: 'secrets', dependencies: ['config'] })
