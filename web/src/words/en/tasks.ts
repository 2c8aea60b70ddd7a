export const tasks = {
}
