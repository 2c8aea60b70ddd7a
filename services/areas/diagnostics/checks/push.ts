import { type Push } from '../../push/index.js'
import { type Check, coded, ok, problem, skipped, warning } from '../check.js'

/** Keys, browsers and failed deliveries of Web Push. */
export function pushCheck ({ publicKey, subscriptions, state }: Pick<Push, 'publicKey' | 'subscriptions' | 'state'>): Check {
  return {
    id: 'push',
    group: 'connections',
    title: 'Notifications',
    run () {
      if (publicKey() === null) {
        return problem('The keys for Web Push could not be stored yet.', 'Make the database writable, then restart the service.', 'push_no_keys')
      }
      const all = subscriptions()
      if (all.length === 0) return coded(skipped('No browser has notifications switched on.'), 'push_none')
      const failing = all.flatMap(({ lastError }) => lastError === null ? [] : [lastError])
      const [reason] = failing
      const { messages } = state()
      return reason === undefined
        ? coded(
          ok(`${all.length} browser${all.length === 1 ? '' : 's'} with notifications, ${messages} messages on their way.`), 'push_works',
          { count: all.length, messages }
        )
        : warning(`The last message did not reach ${failing.length} of ${all.length} browsers: ${reason}`, 'Switch notifications off and on again in that browser, or remove it under Settings → Notifications.')
    }
  }
}
