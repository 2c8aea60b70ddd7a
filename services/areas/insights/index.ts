export { toCsv } from './export.js'
export { createInsights, type Insights, type InsightsFor } from './insights.js'
