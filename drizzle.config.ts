import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './services/ground/database/tables.ts',
  out: './drizzle',
  casing: 'snake_case'
})
