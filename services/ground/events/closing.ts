import { type Subscription } from './broker.js'

/** Makes a subscription call `closed` once when it is closed. */
export function closing (subscription: Subscription, closed: () => void): Subscription {
  let isClosed = false
  const close = subscription.close.bind(subscription)
  return Object.assign(subscription, {
    close () {
      close()
      if (isClosed) return
      isClosed = true
      closed()
    }
  })
}
