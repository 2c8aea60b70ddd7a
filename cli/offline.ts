import fastify from 'fastify'
import { existsSync } from 'node:fs'
import audit from '../plugins/areas/audit.js'
import auditActing from '../plugins/areas/audit-acting.js'
import auth from '../plugins/areas/auth.js'
import settings from '../plugins/areas/settings.js'
import bodies from '../plugins/ground/bodies.js'
import config, { readConfig, type Places } from '../plugins/ground/config.js'
import consoleSocket from '../plugins/ground/console.js'
import database from '../plugins/ground/database.js'
import errors from '../plugins/ground/errors.js'
import serialization from '../plugins/ground/serialization.js'
import validation from '../plugins/ground/validation.js'
import warming from '../plugins/ground/warming.js'
import deviceRoutes from '../routes/auth-devices.js'
import consoleAccessRoutes from '../routes/console-access.js'
import { commandLine } from '../services/ground/command-line.js'
import { databaseFile, explainingErrors, isBehind, lockStateFolder, openDatabase } from '../services/ground/database/index.js'
import { askerOf, type Service } from './asking.js'
import { CommandFailed } from './command.js'

/**
 * Opens the routes with which commands change who may use the service, in this process, while the service does not run. Nothing listens,
 * and no other part of the service starts. The state folder is locked until `close`. Throws CommandFailed, UnusableDatabase and
 * StateFolderInUse.
 */
export async function openOffline ({ home, stateDir }: Places): Promise<Service> {
  const file = databaseFile(stateDir)
  if (!existsSync(file)) {
    throw new CommandFailed(`There is no database in ${stateDir}. Start the service once (${commandLine('start')}), or give its home folder with --home`)
  }
  const unlock = lockStateFolder(stateDir)
  try {
    if (explainingErrors(file, () => isBehind(file))) throw new CommandFailed('The database is from an earlier version. Start the service once to upgrade it')
    const app = fastify()
    // The database says how people sign in. What the environment of the service adds to that is unknown here.
    await app.register(config, { config: readConfig({ SVC_HOME: home, SVC_WEBUI_STATE_DIR: stateDir }), environment: {} })
    await app.register(errors)
    await app.register(database, { db: openDatabase({ file }) })
    await app.register(audit)
    await app.register(settings)
    await app.register(consoleSocket, { isOnlyOne: true })
    await app.register(auth)
    await app.register(auditActing)
    await app.register(bodies)
    await app.register(warming)
    await app.register(validation)
    await app.register(serialization)
    await app.register(deviceRoutes)
    await app.register(consoleAccessRoutes)
    await app.ready()
    return {
      isRunning: false,
      ask: askerOf(async (url, body) => {
        const { statusCode, payload } = await app.inject(body === undefined ? { url } : { url, method: 'POST', payload: body })
        return { status: statusCode, body: JSON.parse(payload) as unknown }
      }),
      async close () {
        await app.close()
        unlock()
      }
    }
  } catch (error) {
    unlock()
    throw error
  }
}
