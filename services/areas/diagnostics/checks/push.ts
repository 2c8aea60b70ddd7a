import { type Push } from '../../push/index.js'
import { type Check, ok, problem, skipped, warning } from '../check.js'

/** Keys, browsers and failed deliveries of Web Push. */
export function pushCheck ({ publicKey, subscriptions, state }: Pick<Push, 'publicKey' | 'subscriptions' | 'state'>): Check {
  return {
    id: 'push',
    group: 'connections',
    title: 'Notifications',
    run () {
      if (publicKey() === null) {
        return problem('The keys for Web Push could not be stored yet.', 'Make the database writable, then restart the service.')
      }
      const all = subscriptions()
      if (all.length === 0) return skipped('No browser has notifications switched on.')
      const failing = all.flatMap(({ lastError }) => lastError === null ? [] : [lastError])
      const [reason] = failing
      const { messages } = state()
      return reason === undefined
        ? ok(`${all.length} browser${all.length === 1 ? '' : 's'} with notifications, ${messages} messages on their way.`)
        : warning(`The last message did not reach ${failing.length} of ${all.length} browsers: ${reason}`, 'Switch notifications off and on again in that browser, or remove it under Settings → Notifications.')
    }
  }
}
