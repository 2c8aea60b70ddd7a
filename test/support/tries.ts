/** How often a property is tried: as often as said by `npm run test:all` and where its file is named, else a tenth of that. */
export const tries = (all: number): number => process.env.TEST_LONG === '1' ? all : Math.ceil(all / 10)
