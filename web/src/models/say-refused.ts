import { type Wire } from '../core/service/api.js'
import { words } from '../words/index.js'

type Refused = Pick<Wire<'ProviderTestReply'>, 'code' | 'message'>

/** Returns a text about who refused a key and what to do, by the code of the test. */
export function sayKeyRefused ({ code, message }: Refused, name: string): string {
  const { refused: w } = words.value.setup
  switch (code) {
    case 'invalid_key': case 'no_quota': case 'rate_limited': case 'tls': case 'name_not_found': return w[code](name)
    case 'refused': case 'timed_out': case 'no_answer': case 'wrong_address': return w.no_answer(name)
    case 'provider_failed': case 'not_understood': return w.provider_failed(name)
    default: return message
  }
}

/** Returns a text about why an installed agent cannot be used and what to do, by the code of its test. */
export function sayAgentFailed ({ code, message }: Refused, name: string): string {
  const { agentFailed: w, refused } = words.value.setup
  switch (code) {
    case 'invalid_key': case 'no_quota': return w[code](name)
    case 'rate_limited': return refused.rate_limited(name)
    case 'timed_out': case 'no_answer': return w.timed_out(name)
    case 'not_set_up': return message
    default: return w.other(name)
  }
}
