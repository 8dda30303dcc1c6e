require("./extension").activate({ subscriptions: [] });
