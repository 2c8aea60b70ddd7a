import { type TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import {
  type FastifyBaseLogger, type FastifyInstance, type RawReplyDefaultExpression, type RawRequestDefaultExpression, type RawServerDefault
} from 'fastify'
import { type Idempotency } from '../../services/areas/idempotency/index.js'
import { type Profiles } from '../../services/areas/profiles/index.js'
import { type Sessions } from '../../services/areas/sessions/index.js'
import { type Clock } from '../../services/ground/time/clock.js'
import { type Database } from '../../services/ground/database/index.js'
import { type EventBroker } from '../../services/ground/events/index.js'
import { type Workers } from '../../services/ground/workers/index.js'
import { type Checkpoints } from '../../services/workspace/checkpoints/index.js'
import { type Files } from '../../services/workspace/files/index.js'
import { type Git } from '../../services/workspace/git/index.js'
import { type Workspace } from '../../services/workspace/index.js'
import { type Config } from './config.js'

/**
 * What the routes and plugins of workspaces may use. The service and the program of a machine (`machine/`) both provide it: whatever
 * else such a route needs is added here first, and then a machine has to provide it too.
 */
export interface SharedPorts {
  config: Pick<Config, 'stateDir' | 'env' | 'maxUploadBytes' | 'mediaRoots'>
  db: Database
  clock: Clock
  events: EventBroker
  workers: Workers
  idempotency: Idempotency
  profiles: Pick<Profiles, 'homes' | 'get'>
  sessions: Pick<Sessions, 'has' | 'folderOf' | 'mentions'> & {
    on (event: 'removed', listener: (ids: readonly string[]) => void | Promise<void>): void
  }
  workspace: Workspace
  files: Files
  git: Git
  checkpoints: Checkpoints
}

/** What Fastify itself provides for them. */
type Framework = Pick<
  FastifyInstance<RawServerDefault, RawRequestDefaultExpression, RawReplyDefaultExpression, FastifyBaseLogger, TypeBoxTypeProvider>,
  'get' | 'post' | 'register' | 'decorate' | 'decorateRequest' | 'addHook' | 'addContentTypeParser' | 'removeContentTypeParser' | 'log'
>

/** The app, as seen by routes and plugins that the service and a machine have in common. */
export type SharedApp = Framework & SharedPorts

/** Routes that the service and a machine share. */
export type SharedRoutes = (app: SharedApp) => Promise<void>
