import { Bytes } from './common.js'

export const MetricsText = Bytes('text/plain', 'metrics in Prometheus\' text format 0.0.4')
