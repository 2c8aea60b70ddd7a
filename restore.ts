import { resolve } from 'node:path'
import { ConfigError, localEnvironment, readPlaces } from './plugins/ground/config.js'
import { restoreBackup } from './services/areas/backups/index.js'
import { told } from './services/areas/backups/telling.js'

// npm run restore -- <backup>: with the service stopped.
told(() => {
  const [named] = process.argv.slice(2)
  if (named === undefined || named.trim() === '') {
    throw new ConfigError(['name the backup: npm run restore -- <folder of the backup, or copy of a database>'])
  }
  const { home, stateDir } = readPlaces(localEnvironment())
  const {
    rows: { sessions = 0, messages = 0 }, replaced, attachments, settings
  } = restoreBackup({ home, stateDir, source: resolve(named), nowS: Date.now() / 1000 })
  return [
    `Restored ${sessions} sessions and ${messages} messages, and ${attachments} attachments that were missing.`,
    ...(settings.putBack.length === 0 ? [] : [`Settings that were missing and are back: ${settings.putBack.join(', ')}.`]),
    ...(settings.kept.length === 0 ? [] : [`Settings that were there and stay as they are: ${settings.kept.join(', ')}.`]),
    ...(replaced === null ? [] : [`The database that was there before is kept in ${replaced}.`])
  ].join('\n')
})
