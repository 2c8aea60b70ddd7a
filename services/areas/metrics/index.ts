export { createMetrics, type Metrics } from './metrics.js'
export { createModelMeter } from './model-calls.js'
export { createRequestMeter, type RequestMeter, type RouteMeter } from './requests.js'
