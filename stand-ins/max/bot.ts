/** The bot behind every token, as a `User` of the API. */
export const BOT = {
  user_id: 1,
  first_name: 'Stand-in bot',
  username: 'stand_in_bot',
  is_bot: true,
  last_activity_time: 1_767_225_600_000,
  name: 'Stand-in bot',
};
