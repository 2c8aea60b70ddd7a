export { exportParts, toCsv, type ExportPart } from './export.js'
export { createInsights, type Insights, type InsightsFor } from './insights.js'
