import { type Scenario } from '../scenario.js'
import { killHost } from './kill-host.js'
import { killService } from './kill-service.js'

export const scenarios: Scenario[] = [killService, killHost]
