/** Read by drizzle-kit (`npm run db:generate`). */
export default {
  dialect: 'sqlite',
  schema: './services/ground/database/tables.ts',
  out: './drizzle',
  casing: 'snake_case'
}
