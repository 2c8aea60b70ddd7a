export const files = {
}
